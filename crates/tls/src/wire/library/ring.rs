//! ring, by the names that rustls and webpki have for it.

pub(crate) use rustls::crypto::ring::{cipher_suite, default_provider, kx_group};
pub(crate) use webpki::ring as signature;
