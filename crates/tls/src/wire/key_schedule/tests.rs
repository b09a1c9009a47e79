//! Known answers, and that secrets do not show.

use rustls::SupportedCipherSuite;
use rustls::crypto::ring::cipher_suite;
use rustls::crypto::tls13::HkdfExpander;

use super::*;
use crate::testing::hex;

/// RFC 8448, section 3 ("Simple 1-RTT Handshake"): the hashes of the trace and every secret and key in it.
#[test]
fn the_schedule_of_rfc_8448_is_ours() {
    let is = |found: &[u8], expected: &str| assert_eq!(found, hex(expected));
    let early = EarlySecret::new(HashFunction::Sha256);
    is(&early.0.bytes, "33ad0a1c607ec03b09e6cd9893680ce210adf300aa1f2660e1b22e10f170f92a");
    is(&early.0.derived().bytes, "6f2615a108c702c5678f54fc9dbab69716c076189c48250cebeac3576c3611ba");
    let handshake = early.handshake(&hex("8bd4054fb55b9d63fdfbacf9f04b9f0d35e6d63f537563efd46272900f89492d"));
    is(&handshake.0.bytes, "1dc826e93606aa6fdc0aadc12f741b01046aa6b99f691ed221a9f0ca043fbeac");
    let hash = |digits| HashFunction::Sha256.value(&hex(digits)).unwrap();
    let hellos = hash("860c06edc07858ee8e78f0e7428c58edd6b43f2ca3e6e95f02ed063cf0e1cad8");
    let client = handshake.traffic(Side::Client, &hellos);
    is(client.bytes(), "b3eddb126e067f35a780b3abf45e2d8f3b1a950738f52e9600746a0e27a55a21");
    is(&client.key(Suite::Aes128GcmSha256), "dbfaa693d1762c5b666af5d950258d01");
    is(&*client.iv(), "5bd3c71b836e0b76bb73265f");
    let server = handshake.traffic(Side::Server, &hellos);
    is(server.bytes(), "b67b7d690cc16c4e75e54213cb2d37b4e9c912bcded9105d42befd59d391ad38");
    is(&server.key(Suite::Aes128GcmSha256), "3fce516009c21727d0f2e4e86ee403bc");
    is(&*server.iv(), "5d313eb2671276ee13000b30");
    is(&handshake.0.derived().bytes, "43de77e0c77713859a944db9db2590b53190a65b3ee2e4f12dd7a0bb7ce254b4");
    let master = handshake.master();
    is(&master.0.bytes, "18df06843d13a08bf2a449844c5f8a478001bc4d4c627984d5a41da8d0402919");
    let finished = hash("9608102a0f1ccc6db6250b7b7e417b1a000eaada3daae4777a7686c9ff83df13");
    is(&client.verify_data(&finished), "a8ec436d677634ae525ac1fcebe11a039ec17694fac6e98527b642f2edd5ce61");
    let client = master.traffic(Side::Client, &finished);
    is(client.bytes(), "9e40646ce79a7f9dc05af8889bce6552875afa0b06df0087f792ebb7c17504a5");
    is(&client.key(Suite::Aes128GcmSha256), "17422dda596ed5d9acd890e3c63f5051");
    is(&*client.iv(), "5b78923dee08579033e523d9");
    let server = master.traffic(Side::Server, &finished);
    is(server.bytes(), "a11af9f05531f856ad47116b45a950328204b4f44bfb6b3a4b4f1f3fcb631643");
    is(&server.key(Suite::Aes128GcmSha256), "9f02283b6c9c07efc26bb9f2ac92e356");
    is(&*server.iv(), "cf782b88dd83549aadf1e984");
}

/// RFC 4231, section 4.2, has this message with a key of 20 bytes; zeros after a key don't change HMAC.
#[test]
fn hmac_with_sha_384_is_the_known_one() {
    let key = [&[0x0b; 20][..], &[0; 28]].concat();
    let secret = Secret::from_bytes(HashFunction::Sha384, &key).unwrap();
    let expected =
        "afd03944d84895626b0825f4ab46907f15f9dadbe4101ec682aa034c7cebc59cfaea9ea9076ede7f4af152e8b2fa9cb6";
    assert_eq!(*secret.mac(b"Hi There").bytes, hex(expected));
}

/// RFC 8448 has no suite with SHA-384, so the TLS library's own HKDF derives the same.
#[test]
fn the_schedule_of_every_suite_is_the_library_s() {
    let library = [
        cipher_suite::TLS13_AES_128_GCM_SHA256,
        cipher_suite::TLS13_AES_256_GCM_SHA384,
        cipher_suite::TLS13_CHACHA20_POLY1305_SHA256,
    ];
    for (suite, library) in Suite::ALL.into_iter().zip(library) {
        let SupportedCipherSuite::Tls13(library) = library else { panic!("a suite of TLS 1.3") };
        let hkdf = library.hkdf_provider;
        let digest = suite.hash().digest_bytes();
        let expand = |expander: &dyn HkdfExpander, label: &str, context: &[u8], length: usize| {
            let message = expansion(label, context, length as u8);
            let (_, info) = message.split_last().unwrap();
            let mut out = vec![0; length];
            expander.expand_slice(&[info], &mut out).unwrap();
            out
        };
        let (shared, [hellos, finished]) = ([7; 32], [b"one", b"two"].map(|text| suite.hash().hash(text)));
        let nothing = suite.hash().hash(&[]);
        let early = hkdf.extract_from_zero_ikm(None);
        let salt = expand(&*early, "derived", nothing.as_ref(), digest);
        let handshake = hkdf.extract_from_secret(Some(&salt), &shared);
        let salt = expand(&*handshake, "derived", nothing.as_ref(), digest);
        let master = hkdf.extract_from_zero_ikm(Some(&salt));
        let ours = EarlySecret::new(suite.hash()).handshake(&shared);
        let secret = ours.traffic(Side::Client, &hellos);
        assert_eq!(secret.bytes(), expand(&*handshake, "c hs traffic", hellos.as_ref(), digest));
        let secret = ours.master().traffic(Side::Server, &finished);
        let expected = expand(&*master, "s ap traffic", finished.as_ref(), digest);
        assert_eq!(secret.bytes(), expected);
        let expander = hkdf.expander_for_okm(&rustls::crypto::tls13::OkmBlock::new(&expected));
        assert_eq!(*secret.key(suite), expand(&*expander, "key", &[], suite.aead().key_bytes()));
        assert_eq!(secret.iv()[..], expand(&*expander, "iv", &[], 12));
        let key = expand(&*expander, "finished", &[], digest);
        let tag = hkdf.hmac_sign(&rustls::crypto::tls13::OkmBlock::new(&key), hellos.as_ref());
        assert_eq!(secret.verify_data(&hellos), tag.as_ref());
    }
}

#[test]
fn secrets_have_one_length_and_do_not_show() {
    for length in [0, 31, 33, 48] {
        assert!(TrafficSecret::from_bytes(HashFunction::Sha256, &vec![7; length]).is_none(), "{length}");
    }
    let secret = TrafficSecret::from_bytes(HashFunction::Sha256, &[0xab; 32]).unwrap();
    assert_eq!(format!("{secret:?}"), "TrafficSecret { .. }");
    assert!(TrafficSecret::from_bytes(HashFunction::Sha384, &[7; 48]).is_some());
}
