//! The demo world: the other side of every service, over real sockets.
