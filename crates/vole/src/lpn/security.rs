//! How hard the LPN instances in use are.
//!
//! Every stage of the random COT and of subfield VOLE rests on one instance: `n = t * b` samples
//! `y = A x + e` of a secret `x` of `k` elements, where the noise `e` has in each of `t` blocks of `b`
//! positions exactly one 1 (over F2) or one random element (over a large field). [`in_use`] has what the
//! known attacks on each set cost. The figures are computed by the crate `lpn-estimator` of this repository,
//! which says what a bit is and which attacks it knows; tests here compare the two.
//!
//! # Leakage in the malicious setting
//!
//! The sender's consistency check lets a cheating sender bet on the noise: it spoils parts of the trees and
//! passes if the noise positions lie in the set it chose; if not, the receiver aborts. Boyle et al. (CCS
//! 2019, ePrint 2019/1159), Wolverine (2020/925) and Ferret (2020/924) all prove security under LPN *with
//! static leakage*: the adversary may pose such a bet before it sees `y`, loses if it is wrong, and must then
//! solve LPN. A bet that teaches c bits is won with probability 2^-c, so it teaches one bit on average, and
//! the adversary's advantage is what it had by guessing the c bits itself: the attacks already optimise over
//! how much to guess, and a bet costs a session instead of an operation. The literature therefore takes the
//! same parameters, and so do we; nothing is subtracted. Positions are chosen afresh every round and a lost
//! bet ends the session, so bets do not add up. A reader who wants to charge the average bit subtracts 1.

pub mod in_use;
