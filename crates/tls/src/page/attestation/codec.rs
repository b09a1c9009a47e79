//! The encoding of attestations.

use volery_channel::{Cursor, Flaw};

use super::contract::{ADDRESS_BYTES, Address, ContractSignature};
use super::{
    Attestation, AttestedPayload, Committed, Context, Error, MAX_BYTES, MAX_ENTRIES, Mode, Revealed,
    Statement, VERSION,
};
use crate::page::claim::Malformed;
use crate::page::commitment::Form;
use crate::page::disclosure::{Suite, TlsVersion, put_all_hidden, read_all_hidden};

/// The first bytes of a file. They also separate these signatures from all others that a key may make.
const MAGIC: &[u8] = b"volery attestation\n";

impl From<Malformed> for Error {
    fn from(Malformed(reason): Malformed) -> Self {
        Self::Malformed(reason)
    }
}

impl From<Flaw> for Error {
    fn from(flaw: Flaw) -> Self {
        Self::Malformed(flaw.to_string())
    }
}

/// The code of a mode.
pub(super) fn mode_code(mode: Mode) -> u8 {
    match mode {
        Mode::Proxy => 0,
        Mode::TwoParty => 1,
    }
}

/// The code of a version of TLS.
pub(super) fn tls_code(tls: TlsVersion) -> u8 {
    match tls {
        TlsVersion::Tls12 => 2,
        TlsVersion::Tls13 => 3,
    }
}

/// The bytes that are signed with Ed25519: everything except the signatures.
pub(super) fn signed(statement: &Statement, signer: &[u8; 32], contract: Option<&Address>) -> Vec<u8> {
    let Statement {
        mode,
        tls,
        suite,
        server_name,
        port,
        alpn,
        certificate,
        time,
        rounds,
        pipelined,
        context,
        holder,
        query,
        response,
    } = statement;
    let mut out = MAGIC.to_vec();
    out.extend(VERSION.to_be_bytes());
    out.push(mode_code(*mode));
    out.push(tls_code(*tls));
    out.push(suite.code());
    put(&mut out, server_name.as_bytes());
    out.extend(port.to_be_bytes());
    out.push(u8::from(*alpn));
    out.extend(certificate);
    out.extend(time.to_be_bytes());
    out.extend(rounds.to_be_bytes());
    out.push(u8::from(*pipelined));
    put(&mut out, context.as_bytes());
    put(&mut out, holder.as_ref().map_or(&[][..], |key| key));
    for part in [query, response] {
        put_part(&mut out, part);
    }
    out.extend(signer);
    put(&mut out, contract.map_or(&[][..], |address| address.as_bytes()));
    out
}

/// Writes a length or a number of entries. Statements are checked before they are encoded, so it fits; a
/// statement that is too long is refused for its length.
fn put_count(out: &mut Vec<u8>, count: usize) {
    out.extend(u32::try_from(count).unwrap_or(u32::MAX).to_be_bytes());
}

fn put(out: &mut Vec<u8>, bytes: &[u8]) {
    put_count(out, bytes.len());
    out.extend(bytes);
}

pub(super) fn put_part(out: &mut Vec<u8>, part: &AttestedPayload) {
    let AttestedPayload { length, revealed, hidden, commitments } = part;
    out.extend(length.to_be_bytes());
    put_count(out, revealed.len());
    for Revealed { start, bytes } in revealed {
        out.extend(start.to_be_bytes());
        put(out, bytes);
    }
    put_all_hidden(out, hidden);
    put_count(out, commitments.len());
    for Committed { part, form, ranges, points } in commitments {
        put(out, part.as_bytes());
        out.push(match form {
            Form::Bytes => 0,
            Form::Number => 1,
        });
        put_count(out, ranges.len());
        for range in ranges {
            out.extend(range.start.to_be_bytes());
            out.extend(range.end.to_be_bytes());
        }
        put_count(out, points.len());
        out.extend_from_slice(points.as_flattened());
    }
}

/// Reads a file, all of it.
pub(super) fn decode(bytes: &[u8]) -> Result<Attestation, Error> {
    if bytes.len() > MAX_BYTES {
        return Err(Error::Malformed(format!("it has {} bytes, at most {MAX_BYTES} are read", bytes.len())));
    }
    let mut cursor = Cursor::new(bytes);
    if cursor.bytes(MAGIC.len(), "its first line") != Ok(MAGIC) {
        return Err(Error::Malformed("its first line is not `volery attestation`".into()));
    }
    let version = cursor.u16("the version")?;
    if version != VERSION {
        return Err(Error::Version(version));
    }
    let statement = statement(&mut cursor)?;
    let signer = cursor.array("the public key")?;
    let address = address(&mut cursor)?;
    let signature = cursor.array("the signature")?;
    let second = |address| {
        let signature = cursor.array("the signature for contracts")?;
        Ok::<_, Flaw>(ContractSignature { address, signature })
    };
    let contract = address.map(second).transpose()?;
    cursor.finish()?;
    statement.check()?;
    Ok(Attestation { statement, signer, signature, contract })
}

fn statement(cursor: &mut Cursor<'_>) -> Result<Statement, Error> {
    let mode = match cursor.u8("the mode")? {
        0 => Mode::Proxy,
        1 => Mode::TwoParty,
        other => return Err(Error::Malformed(format!("mode {other} is not known"))),
    };
    let tls = match cursor.u8("the version of TLS")? {
        2 => TlsVersion::Tls12,
        3 => TlsVersion::Tls13,
        other => return Err(Error::Malformed(format!("version of TLS {other} is not known"))),
    };
    let code = cursor.u8("the cipher suite")?;
    let suite = Suite::from_code(code);
    let suite = suite.ok_or_else(|| Error::Malformed(format!("cipher suite {code} is not known")))?;
    Ok(Statement {
        mode,
        tls,
        suite,
        server_name: text(cursor, "the server's name")?,
        port: cursor.u16("the port")?,
        alpn: flag(cursor, "whether the server named its protocol")?,
        certificate: cursor.array("the hash of the certificate")?,
        time: cursor.u64("the time")?,
        rounds: cursor.u32("the number of rounds")?,
        pipelined: flag(cursor, "whether requests were sent at once")?,
        context: Context::new(counted(cursor, "the context")?)?,
        holder: holder(cursor)?,
        query: part(cursor)?,
        response: part(cursor)?,
    })
}

fn holder(cursor: &mut Cursor<'_>) -> Result<Option<[u8; 32]>, Error> {
    match counted(cursor, "the holder's key")? {
        [] => Ok(None),
        key => {
            let key = key.try_into();
            key.map(Some).map_err(|_| Error::Malformed("a holder's key of other than 32 bytes".into()))
        }
    }
}

fn address(cursor: &mut Cursor<'_>) -> Result<Option<Address>, Error> {
    match counted(cursor, "the address of the key for contracts")? {
        [] => Ok(None),
        bytes => {
            let bytes = <[u8; ADDRESS_BYTES]>::try_from(bytes).ok();
            let wrong = || Error::Malformed("an address of zeros, or of other than 20 bytes".into());
            bytes.and_then(Address::new).map(Some).ok_or_else(wrong)
        }
    }
}

fn flag(cursor: &mut Cursor<'_>, what: &'static str) -> Result<bool, Error> {
    match cursor.u8(what)? {
        0 => Ok(false),
        1 => Ok(true),
        other => Err(Error::Malformed(format!("{what}: {other} is neither 0 nor 1"))),
    }
}

fn part(cursor: &mut Cursor<'_>) -> Result<AttestedPayload, Error> {
    Ok(AttestedPayload {
        length: cursor.u64("a length")?,
        revealed: list(cursor, |cursor| {
            let start = cursor.u64("a range")?;
            Ok(Revealed { start, bytes: counted(cursor, "revealed bytes")?.to_vec() })
        })?,
        hidden: read_all_hidden(cursor)?,
        commitments: list(cursor, committed)?,
    })
}

fn committed(cursor: &mut Cursor<'_>) -> Result<Committed, Error> {
    Ok(Committed {
        part: text(cursor, "the name of a part")?,
        form: match cursor.u8("a form")? {
            0 => Form::Bytes,
            1 => Form::Number,
            other => return Err(Error::Malformed(format!("a commitment of form {other} is not known"))),
        },
        ranges: list(cursor, |cursor| Ok(cursor.u64("a range")?..cursor.u64("a range")?))?,
        points: list(cursor, |cursor| Ok(cursor.array("a commitment")?))?,
    })
}

/// Reads a list. It grows as its entries are read, so the input has to contain them.
fn list<'a, T>(
    cursor: &mut Cursor<'a>,
    read: impl Fn(&mut Cursor<'a>) -> Result<T, Error>,
) -> Result<Vec<T>, Error> {
    let count = cursor.u32("a number of entries")? as usize;
    if count > MAX_ENTRIES {
        return Err(Error::Malformed(format!("a list of {count} entries, at most {MAX_ENTRIES} are read")));
    }
    (0..count).map(|_| read(cursor)).collect()
}

fn counted<'a>(cursor: &mut Cursor<'a>, what: &'static str) -> Result<&'a [u8], Error> {
    let count = cursor.u32(what)? as usize;
    Ok(cursor.bytes(count, what)?)
}

fn text(cursor: &mut Cursor<'_>, what: &'static str) -> Result<String, Error> {
    let bytes = counted(cursor, what)?;
    let text = core::str::from_utf8(bytes).map_err(|_| Error::Malformed(format!("{what} is not UTF-8")))?;
    Ok(text.into())
}
