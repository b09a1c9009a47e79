// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity ^0.8.20;

import {VoleryAttestation} from "./VoleryAttestation.sol";

/// @title An example: who has shown lately that a bank account has at least 5000 euros
/// @dev It compares everything that the prover chose. Of what it left out, a prover could choose what it likes.
contract BalanceGate {
    using VoleryAttestation for VoleryAttestation.Attestation;

    /// The attestation is not good enough: the rule that it breaks.
    error Refused(string rule);

    uint256 private constant MAX_AGE = 1 hours;
    /// Seconds by which the notary's clock may be ahead.
    uint256 private constant CLOCKS = 5 minutes;

    address public immutable notary;
    /// When an account has shown its balance; zero if it has not.
    mapping(address => uint64) public shownAt;

    constructor(address trusted) {
        require(trusted != address(0));
        notary = trusted;
    }

    /// @notice Takes an attestation that was made for this contract and for the sender: with the context
    /// `abi.encodePacked(uint64(block.chainid), address(this), msg.sender)`.
    function show(VoleryAttestation.Attestation calldata a, bytes calldata signature) external {
        check(a.signer(signature) == notary, "signer");
        check(
            keccak256(a.context)
                == keccak256(abi.encodePacked(uint64(block.chainid), address(this), msg.sender)),
            "context"
        );
        check(a.time <= block.timestamp + CLOCKS && block.timestamp <= a.time + MAX_AGE, "time");
        check(VoleryAttestation.same(a.host, "bank.example") && a.port == 443, "server");
        check(a.alpn && a.mode == 1, "connection");
        check(VoleryAttestation.same(a.method, "GET") && VoleryAttestation.same(a.path, "/account"), "document");
        check(bytes(a.query).length == 0 && a.fields.length == 0 && a.body.length == 0, "request");
        check(a.status == 200, "status");
        check(a.hasValue("response.json:currency", "\"EUR\""), "currency");
        check(a.hasClaim("response.json:balance", "json-number", "is a number of at least 5000"), "balance");
        shownAt[msg.sender] = a.time;
    }

    function check(bool holds, string memory rule) private pure {
        if (!holds) revert Refused(rule);
    }
}
