//! Frames and the handshake.

use volery_channel::fuzz;

/// A frame's header, and the reason in an `Error` frame.
pub fn frame(bytes: &[u8]) {
    fuzz::frame_header(bytes);
    fuzz::reason(bytes);
}

/// A `Hello`.
pub fn hello(bytes: &[u8]) {
    fuzz::hello(bytes);
}

/// A `Begin`.
pub fn begin(bytes: &[u8]) {
    fuzz::begin(bytes);
}

/// All that a client of a WebSocket sends before it closes the connection.
pub fn websocket(bytes: &[u8]) {
    fuzz::websocket(bytes);
}

/// All that a peer sends before it closes the connection.
pub fn stream(bytes: &[u8]) {
    fuzz::stream(bytes);
}
