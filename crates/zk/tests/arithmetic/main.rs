//! QuickSilver over fields: honest proofs of every kind of claim, and cheating ones.

mod deal;
mod honest;
mod mixed;
mod parties;
