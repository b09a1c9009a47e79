//! V's signed statement about a connection, for others who trust V and have only its public key.
//!
//! ```text
//! file  =  "volery attestation" LF | version, 2 bytes | statement | V's public key, 32 bytes
//!          | an address, or none | Ed25519 signature of all before it, 64 bytes | if there is an address: another signature, 65 bytes
//! ```
//!
//! V signs that it has verified the following: this host, on this port, at this time, by this certificate,
//! received a query and gave a response of these lengths, in this many rounds; these bytes of them are
//! revealed; those hidden strings are what they are said to be, and [claims](crate::claim) hold for them;
//! these points are Pedersen commitments to some of them. V does not sign, and does not know, the rest.
//! Claims are data, so programs can read them, too; a statement's `Display` puts them in words. V also signs
//! the [`Context`], which P has chosen.
//!
//! **Which document it is about.** The path of each request is shown unless P hid it by name. A claim about
//! `balance` means little without it, because P may have asked for a page that repeats its input. So a reader
//! looks at [`Statement::hidden_paths`], as `volery attestation verify` does. The path does not say
//! everything either: a query or a body may make the document at that path repeat its input. Both are hidden
//! by default, so a reader also looks at [`Statement::hidden_words`], and must know what the document at the
//! path can be made to say.
//!
//! **The port.** In proxy mode it is the port that V connected to. In the mode of two parties P connects
//! alone, so the port is the one in the requests' `Host`, or 443 if that names none: it is what the server
//! was *asked* for. If services of one host share a certificate and ignore `Host`, only proxy mode can tell
//! them apart.
//!
//! **The protocol.** A server that names its protocol (ALPN) has agreed to speak HTTP. One that does not may
//! be any service of the host that has the certificate, also one that repeats what it is sent. In proxy mode
//! V chose the port. With two parties P did, so V has to allow such servers, and a reader looks at
//! [`Statement::alpn`].
//!
//! **The second signature** is for contracts on a blockchain, which cannot check the first one: [`contract`].
//!
//! [`Statement::summary`] says it in a sentence, and [`Statement::warnings`] all of the above that a reader
//! has to decide. A [`policy`] is what a reader demands, written down.
//! `docs/attestation-format.md` describes the file for verifiers in other languages.
//!
//! A reader calls [`Attestation::from_bytes`] and then [`Attestation::verify`], which is the only way to
//! the statement. It must trust V not to have colluded with P; nothing here is a proof of TLS. In proxy mode
//! it must also trust V's path to the server, which is why the [`Mode`] is part of the statement.
//!
//! The encoding is canonical: integers have fixed widths (big-endian), lists are in order, adjacent ranges
//! are merged, names and points have one form. Each statement has one encoding, and other bytes are refused.
//! So equal statements have equal bytes, and a signature cannot be moved to other bytes with the same
//! meaning.

mod codec;
mod context;
pub mod contract;
pub mod policy;
mod show;
mod statement;
mod summary;
#[cfg(test)]
#[allow(clippy::single_range_in_vec_init, reason = "lists of one range are meant")]
mod tests;
mod warning;

pub use context::{Context, MAX_CONTEXT};
pub use ed25519_dalek::{SigningKey, VerifyingKey};
pub use show::Brief;
pub use statement::{AttestedPayload, Committed, Mode, Revealed, Statement};
pub use summary::key_id;
pub(crate) use summary::presented;
pub use warning::Warning;

use contract::{Address, ContractSignature, TypedStatement};
use ed25519_dalek::{Signature, Signer};
use sha2::Digest as _;
use volery_channel::hex;

/// The version of the format that is written and read.
///
/// Version 1 lacked port, certificate and context, and hid path and query together. It is refused, because
/// the missing information cannot be recovered. Version 2, of programs before the first release, did not say
/// the version of TLS, and had fewer kinds of claims. Version 3 had no second signature.
pub(crate) const VERSION: u16 = 4;
/// The largest attestation, in bytes.
pub const MAX_BYTES: usize = 1 << 26;
/// The most entries of each list.
pub(crate) const MAX_ENTRIES: usize = 1 << 16;

/// Why there is no attestation, or none that can be trusted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The bytes are not an attestation.
    #[error("this is not an attestation: {0}")]
    Malformed(String),
    /// The bytes are an attestation of another version.
    #[error("this attestation has format version {0}, and this program reads version {VERSION}{more}", more = advice(*.0))]
    Version(u16),
    /// The statement violates a rule of the format. For a file this means that it was not written correctly.
    #[error("the statement's {what} {reason}")]
    Statement {
        /// The part of the statement.
        what: &'static str,
        /// What is wrong with it.
        reason: String,
    },
    /// The public key is not safe to use with Ed25519.
    #[error("this is not a public key that is safe to use with Ed25519")]
    Key,
    /// At P: V has signed something other than what P disclosed.
    #[error("the attestation's {0} is not what was disclosed to the notary; do not use it")]
    Differs(&'static str),
    /// Somebody else signed.
    #[error("the attestation is signed by the key {found}, not by {expected}")]
    Signer {
        /// The key that is trusted, in hexadecimal.
        expected: String,
        /// The key in the file.
        found: String,
    },
    /// The signature is wrong.
    #[error("the signature is wrong: the attestation was changed, or is not by this key")]
    Signature,
    /// Contracts cannot be told this statement.
    #[error("the attestation has no form for contracts: it {0}")]
    NoForm(&'static str),
    /// The second signature is wrong.
    #[error(
        "the signature for contracts is wrong: it is not by {address}, or not of what this attestation says"
    )]
    ContractSignature {
        /// The address that the attestation names.
        address: Address,
    },
    /// Somebody else made the second signature.
    #[error("the attestation is signed for contracts by {found}, who is not trusted with that")]
    ContractSigner {
        /// The address that made it.
        found: Address,
    },
    /// There is no second signature.
    #[error("the attestation has no signature for contracts")]
    NoContractSignature,
    /// The bytes are no secret key.
    #[error("this is not a secret key of secp256k1")]
    ContractKey,
    /// This program cannot check it.
    #[error(
        "the attestation has a signature for contracts, which this program cannot check: it was built without the feature `contracts`"
    )]
    NoContracts,
}

/// Advice about another version.
fn advice(version: u16) -> &'static str {
    if version < VERSION {
        ": older ones were made before the first release; have the page attested anew"
    } else {
        "; use a newer program"
    }
}

/// A signed statement. [`Attestation::verify`] returns the statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attestation {
    statement: Statement,
    signer: [u8; 32],
    signature: [u8; 64],
    contract: Option<ContractSignature>,
}

impl Attestation {
    /// Signs a statement that V has verified.
    ///
    /// # Errors
    /// [`Error::Statement`] if it violates the format's rules (see [`Statement`]).
    pub fn sign(statement: Statement, key: &SigningKey) -> Result<Self, Error> {
        Self::sign_once(statement, key, None)?.within_bounds()
    }

    /// Signs a statement that V has verified, and signs it for [contracts](contract), too.
    ///
    /// # Errors
    /// As [`Attestation::sign`]; [`Error::NoForm`] for a statement that contracts cannot be told.
    #[cfg(feature = "contracts")]
    pub fn sign_for_contracts(
        statement: Statement,
        key: &SigningKey,
        contract_key: &contract::ContractKey,
    ) -> Result<Self, Error> {
        let address = contract_key.address();
        let once = Self::sign_once(statement, key, Some(&address))?;
        let contract = Some(contract::sign(&once.typed_statement(Some(&address))?, contract_key)?);
        Self { contract, ..once }.within_bounds()
    }

    /// The first signature, which covers the address of the second one.
    fn sign_once(statement: Statement, key: &SigningKey, address: Option<&Address>) -> Result<Self, Error> {
        statement.check()?;
        let signer = key.verifying_key().to_bytes();
        let signature = key.sign(&codec::signed(&statement, &signer, address)).to_bytes();
        Ok(Self { statement, signer, signature, contract: None })
    }

    fn within_bounds(self) -> Result<Self, Error> {
        let length = self.to_bytes().len();
        if length > MAX_BYTES {
            let reason =
                format!("make {length} bytes, and an attestation has at most {MAX_BYTES}; reveal less");
            return Err(Error::Statement { what: "contents", reason });
        }
        Ok(self)
    }

    /// Reads a file. Nothing in it is verified yet.
    ///
    /// # Errors
    /// [`Error::Malformed`], [`Error::Version`] and [`Error::Statement`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        codec::decode(bytes)
    }

    /// The file.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = self.ordinary_bytes(self.contract_signer().as_ref());
        bytes.extend(self.contract.iter().flat_map(|contract| contract.signature));
        bytes
    }

    /// The file up to its second signature, which is by this address.
    fn ordinary_bytes(&self, contract: Option<&Address>) -> Vec<u8> {
        let mut bytes = codec::signed(&self.statement, &self.signer, contract);
        bytes.extend(self.signature);
        bytes
    }

    /// What a contract is told of this, if that is signed by this address.
    fn typed_statement(&self, contract: Option<&Address>) -> Result<TypedStatement, Error> {
        TypedStatement::new(&self.statement, sha2::Sha256::digest(self.ordinary_bytes(contract)).into())
    }

    /// The SHA-256 of the file. Proofs about the attestation are bound to it.
    #[must_use]
    pub fn digest(&self) -> [u8; 32] {
        sha2::Sha256::digest(self.to_bytes()).into()
    }

    /// The public key that the file claims. It tells a reader which key to look for, and must not be trusted.
    #[must_use]
    pub fn claimed_signer(&self) -> &[u8; 32] {
        &self.signer
    }

    /// The statement, whoever signed it.
    #[cfg(feature = "fuzzing")]
    #[doc(hidden)]
    #[must_use]
    pub fn unverified(&self) -> &Statement {
        &self.statement
    }

    /// The address of V's second key, if the attestation is signed for [contracts](contract), too. Before
    /// [`Attestation::verify`] it is a claim of the file's; after that it is V's own.
    #[must_use]
    pub fn contract_signer(&self) -> Option<Address> {
        self.contract.as_ref().map(|contract| contract.address)
    }

    /// Checks that one of these addresses has signed for [contracts](contract).
    ///
    /// # Errors
    /// [`Error::ContractSigner`] and [`Error::NoContractSignature`].
    pub fn check_contract_signer(&self, trusted: &[Address]) -> Result<(), Error> {
        match self.contract_signer() {
            Some(address) if trusted.contains(&address) => Ok(()),
            Some(found) => Err(Error::ContractSigner { found }),
            None => Err(Error::NoContractSignature),
        }
    }

    /// The statement for contracts and its signature: the JSON that `eth_signTypedData_v4` takes, with the
    /// members `signer` and `signature` besides. Both signatures are checked against the keys that the file
    /// names.
    ///
    /// # Errors
    /// [`Error::NoContractSignature`]; as [`Attestation::verify`].
    #[cfg(feature = "contracts")]
    pub fn typed_data(&self) -> Result<serde_json::Value, Error> {
        self.verify(&self.signer)?;
        let contract = self.contract.as_ref().ok_or(Error::NoContractSignature)?;
        Ok(contract::typed_data(&self.typed_statement(Some(&contract.address))?, contract))
    }

    /// The statement, if the owner of this key signed it. A second signature is checked, too: it must be by
    /// the address that the first one covers, and of the same statement.
    ///
    /// # Errors
    /// [`Error::Signer`], [`Error::Key`] and [`Error::Signature`]; [`Error::ContractSignature`];
    /// [`Error::NoForm`] if there is a second signature, and cannot be one; [`Error::NoContracts`].
    pub fn verify(&self, key: &[u8; 32]) -> Result<&Statement, Error> {
        if *key != self.signer {
            return Err(Error::Signer { expected: hex::encode(key), found: hex::encode(&self.signer) });
        }
        let verifying = VerifyingKey::from_bytes(key).map_err(|_| Error::Key)?;
        if verifying.is_weak() {
            return Err(Error::Key);
        }
        let signed = codec::signed(&self.statement, &self.signer, self.contract_signer().as_ref());
        // Strict verification: each signature has one encoding, and points of small order are refused.
        let result = verifying.verify_strict(&signed, &Signature::from_bytes(&self.signature));
        result.map_err(|_| Error::Signature)?;
        if let Some(contract) = &self.contract {
            contract::check(&self.typed_statement(Some(&contract.address))?, contract)?;
        }
        Ok(&self.statement)
    }
}
