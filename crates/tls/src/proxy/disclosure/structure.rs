//! temp
use super::*;
pub(in crate::proxy) fn find(_side: Side, payload: &[u8], _hides: &[Hide]) -> Result<Shown, Refusal> { Ok(Shown{text: payload.to_vec(), hidden: vec![]}) }
pub(in crate::proxy) fn check(shown: &[Shown; 2], _host: &str) -> Result<(), Refusal> { shown[0].check_shape(Side::Client) }
pub(in crate::proxy) fn is_last(_r: &[u8]) -> bool { true }
