//! The two modes in which P and V stand between the client and the server. The caller chooses one.
//!
//! | module | who runs the TLS client | what V must trust | what it costs |
//! |---|---|---|---|
//! | `joint` | P and V together, by garbling | nothing between it and the server | circuits garbled ahead, messages for each record |
//! | `proxy` | P alone, through a connection that V relays | its own path to the server | next to nothing before the proof |
//!
//! `plain` is no mode: P alone, over ordinary TLS, to see what there would be to prove. `relay` is what both
//! modes have in common where V carries P's connection.
//!
//! WebAssembly has no sockets. There P is the client together with V, over a connection that V carries. V,
//! `plain`, and connections that this crate opens are for other platforms.
//!
//! Each mode ends with the same two things: V's own record of the connection's bytes, and P's knowledge of
//! its keys. After that, both use one program, [`disclosure`](crate::disclosure). So this part of the crate
//! only has sessions: the protocols are in [`wire`](crate::wire), and the meaning of the content in
//! [`page`](crate::page).

pub mod joint;
#[cfg(not(target_family = "wasm"))]
pub mod plain;
pub mod proxy;
pub mod relay;
