//! Replaces signatures if the crate is built without them, and names the missing feature.

use super::{ContractSignature, TypedStatement};
use crate::page::attestation::Error;

/// Cannot check.
pub(in crate::page::attestation) fn check(_: &TypedStatement, _: &ContractSignature) -> Result<(), Error> {
    Err(Error::NoContracts)
}

#[cfg(test)]
mod tests {
    use crate::page::attestation::contract::{Address, ContractSignature};
    use crate::page::attestation::{
        Attestation, AttestedPayload, Context, Error, Mode, SigningKey, Statement,
    };
    use crate::page::disclosure::{Suite, TlsVersion};

    #[test]
    fn a_second_signature_is_not_believed_without_the_feature() {
        let text = b"GET / HTTP/1.1\r\nHost: a.example\r\n\r\n";
        let response = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
        let all = |text: &[u8]| AttestedPayload::revealing(text, &[0..text.len()]).unwrap();
        let statement = Statement {
            mode: Mode::Proxy,
            tls: TlsVersion::Tls13,
            suite: Suite::Aes128GcmSha256,
            server_name: "a.example".into(),
            port: 443,
            alpn: true,
            certificate: [7; 32],
            time: 0,
            rounds: 1,
            pipelined: false,
            context: Context::default(),
            holder: None,
            query: all(text),
            response: all(response),
        };
        let key = SigningKey::from_bytes(&[7; 32]);
        let address = Address::new([1; 20]).unwrap();
        let once = Attestation::sign_once(statement, &key, Some(&address)).unwrap();
        let contract = Some(ContractSignature { address, signature: [1; 65] });
        let two = Attestation::from_bytes(&Attestation { contract, ..once }.to_bytes()).unwrap();
        assert_eq!(two.contract_signer(), Some(address));
        assert_eq!(two.verify(&key.verifying_key().to_bytes()), Err(Error::NoContracts));
        assert!(Error::NoContracts.to_string().contains("`contracts`"));
    }
}
