//! What the registry says about each statement.

/// What the registry says about a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Entry {
    /// Its name.
    pub name: &'static str,
    /// What is claimed, in one line.
    pub claim: &'static str,
    /// The names of its public values, all of them needed.
    pub public: &'static [&'static str],
    /// The public value that follows from the others and the secret:
    /// [`Builtin::compute`](super::Builtin::compute) gives it. None if it is numbers, which
    /// [`FieldBuiltin::compute`](super::FieldBuiltin::compute) gives.
    pub computed: Option<&'static str>,
    /// The name of its secret value, as a witness file calls it, or what its secret numbers are.
    pub secret: &'static str,
    /// The field that it is over unless another one is chosen: [`F2`](volery_field::F2) for a
    /// [`Builtin`](super::Builtin), another one for a [`FieldBuiltin`](super::FieldBuiltin).
    pub field: &'static str,
    /// What the public numbers of a [`FieldBuiltin`](super::FieldBuiltin) are, which come in a file.
    pub numbers: Option<&'static str>,
}

/// All built-in statements.
pub const ENTRIES: &[Entry] = &[
    Entry {
        name: "sha256-preimage",
        claim: "I know a message of LENGTH bytes whose SHA-256 digest is DIGEST",
        public: &["digest", "length"],
        computed: Some("digest"),
        secret: "message",
        field: "F2",
        numbers: None,
    },
    Entry {
        name: "sha1-preimage",
        claim: "I know a message of LENGTH bytes whose SHA-1 digest is DIGEST",
        public: &["digest", "length"],
        computed: Some("digest"),
        secret: "message",
        field: "F2",
        numbers: None,
    },
    Entry {
        name: "aes128-key",
        claim: "I know an AES-128 key that encrypts PLAINTEXT to CIPHERTEXT",
        public: &["plaintext", "ciphertext"],
        computed: Some("ciphertext"),
        secret: "key",
        field: "F2",
        numbers: None,
    },
    Entry {
        name: "mul32",
        claim: "I know two 32-bit factors of each of these PRODUCTS modulo 2^32",
        public: &["products"],
        computed: Some("products"),
        secret: "factors",
        field: "F2",
        numbers: None,
    },
    Entry {
        name: "sis",
        claim: "I know COLUMNS numbers within BOUND that the ROWS x COLUMNS matrix of SEED takes to the public vector",
        public: &["rows", "columns", "bound", "seed"],
        computed: None,
        secret: "the numbers",
        field: "F32",
        numbers: Some("the vector"),
    },
    Entry {
        name: "matmul",
        claim: "I know a ROWS x INNER and an INNER x COLUMNS matrix with the public product",
        public: &["rows", "inner", "columns"],
        computed: None,
        secret: "the entries of both, row by row",
        field: "F61",
        numbers: Some("the product, row by row"),
    },
    Entry {
        name: "inner-product",
        claim: "I know two vectors of LENGTH numbers with the public inner product",
        public: &["length"],
        computed: None,
        secret: "the two vectors",
        field: "F61",
        numbers: Some("the inner product"),
    },
];

/// The entry of this name.
#[must_use]
pub fn find(name: &str) -> Option<&'static Entry> {
    ENTRIES.iter().find(|entry| entry.name == name)
}
