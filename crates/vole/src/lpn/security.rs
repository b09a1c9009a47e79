//! How hard the LPN instances in use are to solve.
//!
//! Every stage of random COT and of subfield VOLE is based on one instance: `n = t * b` samples `y = A x + e`
//! of a secret `x` of `k` elements. The noise `e` has exactly one 1 (over F2) or one random element (over a
//! large field) in each of `t` blocks of `b` positions. [`in_use`] lists the costs of the known attacks on
//! each set. The crate `lpn-estimator` of this repository computes these figures; it defines a bit of
//! security and documents the attacks that it knows. Tests here compare the two.
//!
//! A round may have fewer blocks than its set ([`correlations`](crate::correlations)). Its samples are those
//! of the first blocks of a whole round, which an attacker of that one has, too.
//!
//! # Leakage in the malicious setting
//!
//! The sender's consistency check lets a cheating sender bet on the noise. It spoils parts of the trees, and
//! passes if the noise positions lie in the set that it chose; otherwise the receiver aborts. Boyle et al.
//! (CCS 2019, ePrint 2019/1159), Wolverine (2020/925) and Ferret (2020/924) all prove security under LPN
//! *with static leakage*: the adversary may place such a bet before it sees `y`, loses if the bet is wrong,
//! and must then solve LPN. A bet that teaches c bits is won with probability 2^-c, so it teaches one bit on
//! average, and gives the adversary no more than guessing the c bits itself would. The attacks already
//! optimise over how much to guess, and a bet costs a session instead of an operation. The literature
//! therefore uses the same parameters, and so do we; nothing is subtracted. Positions are drawn anew in every
//! round and a lost bet ends the session, so bets do not add up. A reader who wants to charge for the average
//! bit can subtract 1.

pub mod in_use;
