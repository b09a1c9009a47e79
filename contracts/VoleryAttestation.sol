// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity ^0.8.20;

/// @title Attestations of what a website said
/// @notice Who signed an attestation (`signer`), and what it says of a part of the response (`hasValue`, `hasClaim`).
/// @dev The struct and its hash are those of EIP-712, as docs/attestation-format.md describes them. The notary
/// has verified all of it; a contract decides which notary it trusts, and has to compare everything that the
/// prover chose: host, port, method, path, query, header fields and body of the request, and the time.
library VoleryAttestation {
    /// A part of the response that is shown: `response.json:currency`, `"EUR"` (with the quotation marks).
    struct Value {
        string part;
        string value;
    }

    /// A claim about a part that is hidden: `response.json:balance`, `json-number`, `is a number of at least 5000`.
    struct Claim {
        string part;
        string class;
        string claim;
    }

    /// What the notary signed.
    struct Attestation {
        /// SHA-256 of the attestation's file without this signature. No two attestations have the same.
        bytes32 file;
        string host;
        uint16 port;
        /// Whether the server named HTTP as its protocol.
        bool alpn;
        /// 0 the notary relayed the connection, 1 notary and prover made it together.
        uint8 mode;
        /// 2 TLS 1.2, 3 TLS 1.3.
        uint8 tls;
        /// Seconds since 1970.
        uint64 time;
        /// What the prover had signed, so that a contract knows whom the attestation is for.
        bytes context;
        string method;
        string path;
        string query;
        /// Names of header fields of the request whose effect on servers is not known.
        string[] fields;
        bytes body;
        uint16 status;
        Value[] values;
        Claim[] claims;
    }

    bytes32 private constant DOMAIN = keccak256("EIP712Domain(string name,string version)");
    bytes32 private constant CLAIM = keccak256("Claim(string part,string class,string claim)");
    bytes32 private constant VALUE = keccak256("Value(string part,string value)");
    bytes32 private constant ATTESTATION = keccak256(
        "Attestation(bytes32 file,string host,uint16 port,bool alpn,uint8 mode,uint8 tls,uint64 time,bytes context,"
        "string method,string path,string query,string[] fields,bytes body,uint16 status,Value[] values,Claim[] claims)"
        "Claim(string part,string class,string claim)Value(string part,string value)"
    );
    /// Half of the order of secp256k1, rounded down: signatures with a larger `s` have a twin, and are refused.
    uint256 private constant HALF_ORDER = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0;

    /// @notice Who signed this; zero if the signature is none. Compare it with the address of a notary that is
    /// not zero.
    function signer(Attestation calldata a, bytes calldata signature) internal pure returns (address) {
        if (signature.length != 65) return address(0);
        uint8 v = uint8(signature[64]);
        if (uint256(bytes32(signature[32:64])) > HALF_ORDER || (v != 27 && v != 28)) return address(0);
        return ecrecover(digest(a), v, bytes32(signature[:32]), bytes32(signature[32:64]));
    }

    /// @notice The digest that the notary signs.
    function digest(Attestation calldata a) internal pure returns (bytes32) {
        bytes32 domain = keccak256(abi.encode(DOMAIN, keccak256("Volery"), keccak256("1")));
        // In two parts, since the compiler has room for so many values only.
        bytes memory first = abi.encode(
            ATTESTATION, a.file, keccak256(bytes(a.host)), a.port, a.alpn, a.mode, a.tls, a.time, keccak256(a.context)
        );
        bytes memory second = abi.encode(
            keccak256(bytes(a.method)),
            keccak256(bytes(a.path)),
            keccak256(bytes(a.query)),
            hashTexts(a.fields),
            keccak256(a.body),
            a.status,
            hashValues(a.values),
            hashClaims(a.claims)
        );
        return keccak256(abi.encodePacked(hex"1901", domain, keccak256(bytes.concat(first, second))));
    }

    /// @notice Whether this part shows, and is this text, as it was sent.
    function hasValue(Attestation calldata a, string memory part, string memory value) internal pure returns (bool) {
        for (uint256 i = 0; i < a.values.length; i++) {
            if (same(a.values[i].part, part) && same(a.values[i].value, value)) return true;
        }
        return false;
    }

    /// @notice Whether this claim was proved about this part, which consists of bytes of this class.
    function hasClaim(Attestation calldata a, string memory part, string memory class, string memory claim)
        internal
        pure
        returns (bool)
    {
        for (uint256 i = 0; i < a.claims.length; i++) {
            Claim calldata c = a.claims[i];
            if (same(c.part, part) && same(c.class, class) && same(c.claim, claim)) return true;
        }
        return false;
    }

    /// @notice Whether two texts have the same bytes.
    function same(string memory a, string memory b) internal pure returns (bool) {
        return keccak256(bytes(a)) == keccak256(bytes(b));
    }

    function hashTexts(string[] calldata texts) private pure returns (bytes32) {
        bytes32[] memory hashes = new bytes32[](texts.length);
        for (uint256 i = 0; i < texts.length; i++) {
            hashes[i] = keccak256(bytes(texts[i]));
        }
        return keccak256(abi.encodePacked(hashes));
    }

    function hashValues(Value[] calldata all) private pure returns (bytes32) {
        bytes32[] memory hashes = new bytes32[](all.length);
        for (uint256 i = 0; i < all.length; i++) {
            hashes[i] = keccak256(abi.encode(VALUE, keccak256(bytes(all[i].part)), keccak256(bytes(all[i].value))));
        }
        return keccak256(abi.encodePacked(hashes));
    }

    function hashClaims(Claim[] calldata all) private pure returns (bytes32) {
        bytes32[] memory hashes = new bytes32[](all.length);
        for (uint256 i = 0; i < all.length; i++) {
            hashes[i] = keccak256(
                abi.encode(
                    CLAIM,
                    keccak256(bytes(all[i].part)),
                    keccak256(bytes(all[i].class)),
                    keccak256(bytes(all[i].claim))
                )
            );
        }
        return keccak256(abi.encodePacked(hashes));
    }
}
