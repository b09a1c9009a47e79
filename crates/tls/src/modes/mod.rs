//! How P and V are between the client and the server: two modes, and the caller chooses one.
//!
//! | module | who runs the TLS client | what V has to trust | what it costs |
//! |---|---|---|---|
//! | `joint` | P and V together, by garbling | nothing between it and the server | circuits garbled ahead, messages for each record |
//! | `proxy` | P alone, through a connection that V relays | its own path to the server | next to nothing before the proof |
//!
//! Each mode ends with the same two things: V's own record of the connection's bytes, and P's knowledge of
//! its keys. What happens then is one program for both, [`disclosure`](crate::disclosure). So this room holds
//! only sessions: the protocols are in [`wire`](crate::wire), the meaning of what was said in
//! [`page`](crate::page).

pub mod joint;
pub mod proxy;
