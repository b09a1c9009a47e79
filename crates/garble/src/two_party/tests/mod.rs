//! Both parties, honest and otherwise.

mod cheats;
mod functions;
mod honest;
mod misuse;
mod parties;
mod scenario;
mod sealed;
