//! Signatures on secp256k1, as `ecrecover` takes them.

use core::fmt;

use k256::ecdsa::{RecoveryId, Signature, SigningKey, VerifyingKey};
use sha3::{Digest as _, Keccak256};

use super::typed_data::digest;
use super::{Address, ContractSignature, SIGNATURE_BYTES, TypedStatement};
use crate::page::attestation::Error;

/// What `v` adds to the parity of the point.
const V: u8 = 27;

/// V's second key, on secp256k1. It is wiped when it is dropped.
#[derive(Clone)]
pub struct ContractKey {
    key: SigningKey,
    address: Address,
}

impl fmt::Debug for ContractKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ContractKey").field("address", &self.address).finish_non_exhaustive()
    }
}

impl ContractKey {
    /// The key of these 32 bytes, big-endian.
    ///
    /// # Errors
    /// [`Error::ContractKey`] for zero, and for the group's order and more.
    pub fn from_bytes(bytes: &[u8; 32]) -> Result<Self, Error> {
        let key = SigningKey::from_slice(bytes).map_err(|_| Error::ContractKey)?;
        // Nobody meets a key whose address is zero.
        let address = address(key.verifying_key()).ok_or(Error::ContractKey)?;
        Ok(Self { key, address })
    }

    /// Its address, by which contracts know it.
    #[must_use]
    pub fn address(&self) -> Address {
        self.address
    }
}

fn address(key: &VerifyingKey) -> Option<Address> {
    let point = key.to_sec1_point(false);
    // After the byte that says that both coordinates follow.
    let hash: [u8; 32] = Keccak256::digest(point.as_bytes().get(1..)?).into();
    Address::new(*hash.last_chunk()?)
}

/// Signs. The nonce follows from key and digest (RFC 6979).
///
/// # Errors
/// [`Error::ContractSignature`] in a case that nobody will meet: the point's coordinate is beyond the group's
/// order, for which contracts have no `v`.
pub(in crate::page::attestation) fn sign(
    typed: &TypedStatement,
    key: &ContractKey,
) -> Result<ContractSignature, Error> {
    let (signature, recovery) = key.key.sign_prehash_recoverable(&digest(typed));
    let address = key.address;
    let wrong = Error::ContractSignature { address };
    let v = V.checked_add(recovery.to_byte()).filter(|_| !recovery.is_x_reduced()).ok_or(wrong)?;
    let mut bytes = [v; SIGNATURE_BYTES];
    bytes.iter_mut().zip(signature.to_bytes()).for_each(|(byte, own)| *byte = own);
    Ok(ContractSignature { address, signature: bytes })
}

/// Checks that the key of the address signed this.
///
/// # Errors
/// [`Error::ContractSignature`] if not, or if the signature has another encoding than its one.
pub(in crate::page::attestation) fn check(
    typed: &TypedStatement,
    signed: &ContractSignature,
) -> Result<(), Error> {
    let ContractSignature { address, signature } = signed;
    let signer = signer(&digest(typed), signature);
    if signer == Some(*address) { Ok(()) } else { Err(Error::ContractSignature { address: *address }) }
}

/// Who signed this digest: what `ecrecover` says, for the one encoding that is accepted.
pub(super) fn signer(digest: &[u8; 32], signature: &[u8; SIGNATURE_BYTES]) -> Option<Address> {
    let (rs, v) = signature.split_last_chunk::<1>().map(|(rs, [v])| (rs, *v))?;
    let odd = match v.checked_sub(V)? {
        0 => false,
        1 => true,
        _ => return None,
    };
    let signature = Signature::from_slice(rs).ok()?;
    // With n - s in place of s the same would be signed, by other bytes.
    if signature.normalize_s() != signature {
        return None;
    }
    let recovery = RecoveryId::new(odd, false);
    address(&VerifyingKey::recover_from_prehash(digest, &signature, recovery).ok()?)
}
