//! What a worker needs to find its coordinator.

use core::fmt;
use core::str::FromStr;

use volery_channel::Address;
use zeroize::Zeroizing;

use crate::Error;

/// Where a coordinator is reached, its public key, and a token that is good for one connection.
///
/// As text it is `ADDRESS KEY TOKEN`, key and token in hexadecimal. Whoever has it before the worker gets the
/// worker's lot: give it to the worker alone, and not in a command line that others see.
#[derive(Clone, PartialEq, Eq)]
pub struct Invitation {
    /// Where the coordinator is reached.
    pub address: Address,
    /// Its public key.
    pub key: [u8; 32],
    /// The token.
    pub(super) token: Zeroizing<[u8; 32]>,
}

impl fmt::Debug for Invitation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Invitation").field("address", &self.address).finish_non_exhaustive()
    }
}

impl Invitation {
    /// The invitation as text.
    #[must_use]
    pub fn to_text(&self) -> Zeroizing<String> {
        Zeroizing::new(format!(
            "{} {} {}",
            self.address,
            to_hex(&self.key),
            *Zeroizing::new(to_hex(&self.token))
        ))
    }
}

impl FromStr for Invitation {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let wrong = || Error::Split("an invitation has the form ADDRESS KEY TOKEN".into());
        let mut parts = text.split_ascii_whitespace();
        let (Some(address), Some(key), Some(token), None) =
            (parts.next(), parts.next(), parts.next(), parts.next())
        else {
            return Err(wrong());
        };
        let key = from_hex(key).ok_or_else(wrong)?;
        let token = Zeroizing::new(from_hex(token).ok_or_else(wrong)?);
        Ok(Self { address: address.parse()?, key, token })
    }
}

pub(super) fn to_hex(bytes: &[u8; 32]) -> String {
    let digit = |nibble: u8| char::from_digit(nibble.into(), 16).unwrap_or('0');
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

pub(super) fn from_hex(text: &str) -> Option<[u8; 32]> {
    let mut out = [0; 32];
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    if pairs.len() != out.len() || !rest.is_empty() {
        return None;
    }
    for (out, pair) in out.iter_mut().zip(pairs) {
        let [high, low] = pair.map(|c| char::from(c).to_digit(16));
        *out = (high? << 4 | low?) as u8;
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_invitation_is_what_it_was_and_hides_its_token() {
        let address: Address = "127.0.0.1:7000".parse().expect("an address");
        let invitation = Invitation { address, key: [0xab; 32], token: Zeroizing::new([0xcd; 32]) };
        let text = invitation.to_text();
        assert_eq!(text.parse::<Invitation>().expect("an invitation"), invitation);
        assert!(text.contains("cdcdcd") && !format!("{invitation:?}").contains("205"));
        for wrong in ["", "a", "127.0.0.1:7000 ab cd", &text[..text.len() - 1], &format!("{} x", *text)] {
            assert!(wrong.parse::<Invitation>().is_err(), "{wrong}");
        }
    }
}
