//! Lots, and what workers bring, as bytes: between a coordinator and the workers of its own party.
//!
//! Both sides are the same party's and the connection is authenticated, so these are not the bytes of an
//! adversary. They are checked all the same: two versions may meet.

use std::time::Duration;

use volery_channel::{Cursor, Flaw};
use volery_field::{Ring as _, Wiped};
use volery_vole::SessionId;
use volery_vole::correlations::Profile;
use zeroize::Zeroizing;

use super::Layout;
use super::combine::{Answer, MOST_BROUGHT, Question, RunOf};
use super::deal::{Place, ProverLot, VerifierLot};
use super::dealt::{Dealt, encode};
use super::worker::{Lost, Proved, Summary};
use crate::{Error, Options};

/// Why bytes are not what they should be.
fn refuse(reason: impl Into<String>) -> Error {
    Error::Split(format!("a message between a coordinator and its worker is wrong: {}", reason.into()))
}

fn flawed(flaw: Flaw) -> Error {
    refuse(flaw.to_string())
}

/// A part of a lot as bytes, and back.
pub(super) trait LotBytes: Sized {
    /// The lot.
    fn encode(&self) -> Zeroizing<Vec<u8>>;

    /// The lot in these bytes.
    fn decode(bytes: &[u8]) -> Result<Self, Error>;
}

/// The names of what a lot is for: P or V, and the fields.
fn names<Y: Dealt>(role: u8, out: &mut Vec<u8>) {
    out.extend_from_slice(b"volery lot 2");
    out.push(role);
    for name in [<Y::Ring as volery_field::Ring>::NAME, <Y::Mac as volery_field::Ring>::NAME] {
        // Names are short.
        out.push(name.len() as u8);
        out.extend_from_slice(name.as_bytes());
    }
}

fn put_place(place: &Place, out: &mut Vec<u8>) {
    out.extend_from_slice(place.session.as_bytes());
    out.push(match place.options.profile {
        Profile::Lan => 0,
        Profile::Wan => 1,
    });
    out.push(u8::from(place.options.fiat_shamir));
    out.extend_from_slice(&u32::try_from(place.options.threads).unwrap_or(u32::MAX).to_be_bytes());
    out.extend_from_slice(&place.shard.to_be_bytes());
    out.extend_from_slice(&place.attempt.to_be_bytes());
    out.extend_from_slice(&place.token);
}

fn place(cursor: &mut Cursor<'_>) -> Result<Place, Error> {
    let session = SessionId::new(cursor.array("the session").map_err(flawed)?);
    let profile = match cursor.u8("the profile").map_err(flawed)? {
        0 => Profile::Lan,
        1 => Profile::Wan,
        other => return Err(refuse(format!("profile {other}"))),
    };
    let fiat_shamir = flag(cursor, "whether challenges are hashes")?;
    let threads = cursor.u32("the threads").map_err(flawed)? as usize;
    let options = Options { profile, fiat_shamir, threads };
    let shard = cursor.u32("the shard").map_err(flawed)?;
    let attempt = cursor.u32("the attempt").map_err(flawed)?;
    let token = cursor.array("the token").map_err(flawed)?;
    Ok(Place { session, options, shard, attempt, token })
}

/// A byte that says yes or no.
fn flag(cursor: &mut Cursor<'_>, what: &'static str) -> Result<bool, Error> {
    match cursor.u8(what).map_err(flawed)? {
        0 => Ok(false),
        1 => Ok(true),
        other => Err(refuse(format!("{what}: {other}"))),
    }
}

/// The head of a lot, and its number of correlations.
fn head<Y: Dealt>(role: u8, cursor: &mut Cursor<'_>) -> Result<Place, Error> {
    let mut expected = Vec::new();
    names::<Y>(role, &mut expected);
    if cursor.bytes(expected.len(), "the names").map_err(flawed)? != expected {
        return Err(refuse("a lot of another party, another field or another version"));
    }
    place(cursor)
}

/// The elements in the rest of the bytes.
fn elements<T: Copy + Default>(
    cursor: &mut Cursor<'_>,
    length: usize,
    decode: impl Fn(&[u8]) -> Option<T>,
) -> Result<Wiped<T>, Error> {
    let rest = cursor.bytes(cursor.rest().len(), "the elements").map_err(flawed)?;
    if !rest.len().is_multiple_of(length.max(1)) {
        return Err(refuse("a part of an element"));
    }
    let mut out = Wiped::new(Vec::with_capacity(rest.len() / length.max(1)));
    for bytes in rest.chunks_exact(length.max(1)) {
        out.push(decode(bytes).ok_or_else(|| refuse("bytes that are no element"))?);
    }
    Ok(out)
}

const P: u8 = b'P';
const V: u8 = b'V';

impl<Y: Dealt> LotBytes for ProverLot<Y> {
    fn encode(&self) -> Zeroizing<Vec<u8>> {
        let mut out = Zeroizing::new(Vec::with_capacity(ROOM + self.shares.len() * Y::SHARE_BYTES));
        names::<Y>(P, &mut out);
        put_place(&self.place, &mut out);
        self.shares.iter().for_each(|share| Y::encode_share(share, &mut out));
        out
    }

    fn decode(bytes: &[u8]) -> Result<Self, Error> {
        let mut cursor = Cursor::new(bytes);
        let place = head::<Y>(P, &mut cursor)?;
        let shares = elements(&mut cursor, Y::SHARE_BYTES, Y::decode_share)?;
        Ok(Self { place, shares })
    }
}

impl<Y: Dealt> LotBytes for VerifierLot<Y> {
    fn encode(&self) -> Zeroizing<Vec<u8>> {
        let mut out = Zeroizing::new(Vec::with_capacity(ROOM + (self.keys.len() + 1) * Y::Mac::BYTES));
        names::<Y>(V, &mut out);
        put_place(&self.place, &mut out);
        encode(&*self.delta, &mut out);
        self.keys.iter().for_each(|key| encode(key, &mut out));
        out
    }

    fn decode(bytes: &[u8]) -> Result<Self, Error> {
        let mut cursor = Cursor::new(bytes);
        let place = head::<Y>(V, &mut cursor)?;
        let delta = cursor.bytes(Y::Mac::BYTES, "delta").map_err(flawed)?;
        let delta = Y::Mac::decode(delta).map_err(|error| refuse(error.to_string()))?;
        let keys = elements(&mut cursor, Y::Mac::BYTES, |bytes| Y::Mac::decode(bytes).ok())?;
        Ok(Self { place, keys, delta: Zeroizing::new(delta) })
    }
}

/// More bytes than the head of a lot has, so that its vector is not moved.
const ROOM: usize = 256;

/// The longest lot, of whatever kind: a worker does not know its kind before it is there.
pub(super) const MOST_LOT: usize = 1 << 24;
/// The longest result.
pub(super) const MOST_RESULT: usize = 256 + 32 * MOST_BROUGHT + 4 * 1000;

const PROVED: u8 = 1;
const CONNECTION: u8 = 2;
const EXPOSED: u8 = 3;
const REJECTED: u8 = 4;
const FAILED: u8 = 5;

/// What a worker brings, as bytes.
pub(super) fn encode_result<M: volery_field::Ring>(result: &Result<Proved<M>, Lost>) -> Zeroizing<Vec<u8>> {
    let told = |kind: u8, text: String| {
        // What a person reads, and the peer's part of it is bounded.
        let text: String = text.chars().take(1000).collect();
        Zeroizing::new([&[kind], text.as_bytes()].concat())
    };
    let proved = match result {
        Ok(proved) => proved,
        Err(Lost::Connection { error, exposed: false }) => return told(CONNECTION, error.to_string()),
        Err(Lost::Connection { error, exposed: true }) => return told(EXPOSED, error.to_string()),
        Err(Lost::Failed(error)) if error.is_rejection() => return told(REJECTED, error.to_string()),
        Err(error) => return told(FAILED, error.to_string()),
    };
    let mut out = Zeroizing::new(Vec::with_capacity(ROOM + proved.macs.len() * M::BYTES));
    out.push(PROVED);
    out.extend_from_slice(&proved.shard.to_be_bytes());
    out.extend_from_slice(&proved.attempt.to_be_bytes());
    out.extend_from_slice(&proved.session);
    out.extend_from_slice(&proved.digest);
    out.push(u8::from(proved.transcript.is_some()));
    out.extend_from_slice(&proved.transcript.unwrap_or_default());
    let Summary { soundness_bits, claims, commitments, correlations, bytes_sent, bytes_received, time } =
        proved.summary;
    let time = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
    let soundness = soundness_bits.to_bits();
    let wires = proved.wires as u64;
    for number in [soundness, claims, commitments, correlations, bytes_sent, bytes_received, time, wires] {
        out.extend_from_slice(&number.to_be_bytes());
    }
    proved.macs.iter().for_each(|mac| encode(mac, &mut out));
    out
}

/// What a worker brings, from bytes.
pub(super) fn decode_result<M: volery_field::Ring>(bytes: &[u8]) -> Result<Result<Proved<M>, Lost>, Error> {
    let mut cursor = Cursor::new(bytes);
    let kind = cursor.u8("the kind").map_err(flawed)?;
    if kind != PROVED {
        let text = String::from_utf8_lossy(cursor.rest()).into_owned();
        let error = Error::Split(text.clone());
        return Ok(Err(match kind {
            CONNECTION => Lost::Connection { error, exposed: false },
            EXPOSED => Lost::Connection { error, exposed: true },
            REJECTED => Lost::Failed(volery_zk::Error::Rejected { reason: text }.into()),
            FAILED => Lost::Failed(error),
            other => return Err(refuse(format!("a result of kind {other}"))),
        }));
    }
    let shard = cursor.u32("the shard").map_err(flawed)?;
    let attempt = cursor.u32("the attempt").map_err(flawed)?;
    let session = cursor.array("the session").map_err(flawed)?;
    let digest = cursor.array("the digest").map_err(flawed)?;
    let is_hashed = flag(&mut cursor, "whether there is a transcript")?;
    let transcript = Some(cursor.array("the transcript").map_err(flawed)?).filter(|_| is_hashed);
    let mut number = || cursor.u64("a count").map_err(flawed);
    let summary = Summary {
        soundness_bits: f64::from_bits(number()?),
        claims: number()?,
        commitments: number()?,
        correlations: number()?,
        bytes_sent: number()?,
        bytes_received: number()?,
        time: Duration::from_nanos(number()?),
    };
    let wires = usize::try_from(number()?).unwrap_or(usize::MAX);
    if !summary.soundness_bits.is_finite() {
        return Err(refuse("a soundness that is no number"));
    }
    let macs = elements(&mut cursor, M::BYTES, |bytes| M::decode(bytes).ok())?;
    Ok(Ok(Proved { shard, attempt, session, digest, transcript, wires, macs, summary }))
}

/// The longest question: with both sides of every run.
pub(super) const MOST_QUESTION: usize = 64 + 2 * Layout::MOST_RUNS * RUN;
/// The longest answer.
pub(super) const MOST_ANSWER: usize = 64 + 2 * Layout::MOST_RUNS * 2 * 32;
/// The bytes of a run in a question.
const RUN: usize = 12;

/// A question, as bytes.
pub(super) fn encode_question(question: &Question) -> Vec<u8> {
    let mut out = Vec::with_capacity(64 + question.runs.len() * RUN);
    out.extend_from_slice(&question.shard.to_be_bytes());
    out.extend_from_slice(&question.attempt.to_be_bytes());
    out.extend_from_slice(&question.seed);
    for run in &question.runs {
        out.extend_from_slice(&run.number.to_be_bytes());
        for number in [run.first, run.wires] {
            // A layout has fewer wires.
            out.extend_from_slice(&u32::try_from(number).unwrap_or(u32::MAX).to_be_bytes());
        }
    }
    out
}

/// A question, from bytes.
pub(super) fn decode_question(bytes: &[u8]) -> Result<Question, Error> {
    let mut cursor = Cursor::new(bytes);
    let shard = cursor.u32("the shard").map_err(flawed)?;
    let attempt = cursor.u32("the attempt").map_err(flawed)?;
    let seed = cursor.array("the seed").map_err(flawed)?;
    let mut runs = Vec::with_capacity(cursor.rest().len() / RUN);
    while !cursor.is_empty() {
        let mut number = || cursor.u32("a run").map_err(flawed);
        let (name, first, wires) = (number()?, number()? as usize, number()? as usize);
        runs.push(RunOf { number: name, first, wires });
    }
    Ok(Question { shard, attempt, seed, runs })
}

/// The bytes of an answer to this question.
pub(super) fn answer_len<M: volery_field::Ring>(question: &Question) -> usize {
    4 + 4 + question.seed.len() + 2 * question.runs.len() * M::BYTES
}

/// An answer, as bytes.
pub(super) fn encode_answer<M: volery_field::Ring>(answer: &Answer<M>) -> Zeroizing<Vec<u8>> {
    let mut out = Zeroizing::new(Vec::with_capacity(ROOM + answer.sums.len() * M::BYTES));
    out.extend_from_slice(&answer.shard.to_be_bytes());
    out.extend_from_slice(&answer.attempt.to_be_bytes());
    out.extend_from_slice(&answer.seed);
    answer.sums.iter().for_each(|sum| encode(sum, &mut out));
    out
}

/// An answer, from bytes.
pub(super) fn decode_answer<M: volery_field::Ring>(bytes: &[u8]) -> Result<Answer<M>, Error> {
    let mut cursor = Cursor::new(bytes);
    let shard = cursor.u32("the shard").map_err(flawed)?;
    let attempt = cursor.u32("the attempt").map_err(flawed)?;
    let seed = cursor.array("the seed").map_err(flawed)?;
    let sums = elements(&mut cursor, M::BYTES, |bytes| M::decode(bytes).ok())?;
    Ok(Answer { shard, attempt, seed, sums })
}

#[cfg(test)]
mod tests {
    use volery_field::{Bn254Scalar, F61, F61x2, Gf128};

    use super::*;
    use crate::system::{Bits, Over};

    type Field = Over<F61, F61x2>;

    fn some_place() -> Place {
        let options = Options { profile: Profile::Wan, fiat_shamir: true, threads: 3 };
        Place { session: SessionId::new([7; 32]), options, shard: 5, attempt: 2, token: [9; 16] }
    }

    #[test]
    fn lots_are_what_they_were_and_of_one_party_and_field() {
        let shares = Wiped::new(vec![Gf128::from_bits(3), Gf128::from_bits(u128::MAX)]);
        let lot = ProverLot::<Bits> { place: some_place(), shares: shares.clone() };
        let bytes = lot.encode();
        let back = ProverLot::<Bits>::decode(&bytes).expect("a lot");
        assert_eq!((back.place, &back.shares[..]), (some_place(), &shares[..]));
        assert!(VerifierLot::<Bits>::decode(&bytes).is_err() && ProverLot::<Field>::decode(&bytes).is_err());
        for end in 0..bytes.len() {
            let part = ProverLot::<Bits>::decode(&bytes[..end]);
            // A lot may be cut between correlations: then it has fewer.
            assert!(part.is_err() || (bytes.len() - end).is_multiple_of(16), "{end}");
        }

        let delta = Zeroizing::new(F61x2::default() + F61x2::ONE);
        let keys = Wiped::new(vec![F61x2::ONE; 3]);
        let lot = VerifierLot::<Field> { place: some_place(), keys, delta };
        let mut bytes = lot.encode();
        let back = VerifierLot::<Field>::decode(&bytes).expect("a lot");
        assert_eq!((back.place, *back.delta, back.keys.len()), (some_place(), F61x2::ONE, 3));
        // No canonical encoding of an element.
        let last = bytes.len() - 1;
        bytes[last] = 0xff;
        assert!(VerifierLot::<Field>::decode(&bytes).is_err());
    }

    #[test]
    fn the_longest_lot_has_as_many_bytes_as_are_kept_free_for_it() {
        for profile in [Profile::Lan, Profile::Wan] {
            let options = Options { profile, ..Options::default() };
            let n = Bits::lot_len(&options).expect("a length");
            let lot = ProverLot::<Bits> { place: some_place(), shares: Wiped::new(vec![Gf128::ONE; n]) };
            assert!(lot.encode().len() <= MOST_LOT);
            let n = Over::<Bn254Scalar, Bn254Scalar>::lot_len(&options).expect("a length");
            assert!(ROOM + n * Over::<Bn254Scalar, Bn254Scalar>::SHARE_BYTES <= MOST_LOT, "{n}");
            let n = Field::lot_len(&options).expect("a length");
            let (keys, delta) = (Wiped::new(vec![F61x2::ONE; n]), Zeroizing::new(F61x2::ONE));
            let lot = VerifierLot::<Field> { place: some_place(), keys, delta };
            assert!(lot.encode().len() <= MOST_LOT);
        }
    }

    #[test]
    fn results_are_what_they_were() {
        let summary = Summary {
            soundness_bits: 101.5,
            claims: 1,
            commitments: 2,
            correlations: 3,
            bytes_sent: 4,
            bytes_received: 5,
            time: Duration::from_millis(6),
        };
        let proved = |transcript| {
            let macs = Wiped::new(vec![Gf128::from_bits(77); 3]);
            let (session, digest) = ([3; 32], [4; 32]);
            Proved { shard: 1, attempt: 2, session, digest, transcript, wires: 3, macs, summary }
        };
        let back = |transcript| {
            let bytes = encode_result(&Ok(proved(transcript)));
            decode_result::<Gf128>(&bytes).expect("a result").expect("proved")
        };
        assert_eq!((back(None).transcript, back(Some([5; 32])).transcript), (None, Some([5; 32])));
        let (back, bytes) = (back(None), encode_result(&Ok(proved(None))));
        assert_eq!((back.shard, back.attempt, back.session, back.digest), (1, 2, [3; 32], [4; 32]));
        assert_eq!((back.summary, &back.macs[..]), (summary, &[Gf128::from_bits(77); 3][..]));
        for end in 0..bytes.len() - 48 {
            assert!(decode_result::<Gf128>(&bytes[..end]).is_err(), "{end}");
        }
        let mut many = proved(None);
        many.wires = 1 << 18;
        let kept = many.take_many().expect("kept");
        let back = decode_result::<Gf128>(&encode_result(&Ok(many))).expect("a result").expect("proved");
        assert_eq!((kept.len(), back.wires, back.macs.len(), back.is_kept()), (3, 1 << 18, 0, true));
        let rejected = volery_zk::Error::Rejected { reason: "no".into() };
        for (lost, check) in [
            (Lost::Connection { error: Error::Over, exposed: false }, CONNECTION),
            (Lost::Connection { error: Error::Over, exposed: true }, EXPOSED),
            (Lost::Failed(rejected.into()), REJECTED),
            (Lost::Failed(Error::Over), FAILED),
            (Lost::Gone("away".into()), FAILED),
        ] {
            let back = decode_result::<Gf128>(&encode_result::<Gf128>(&Err(lost))).expect("a result");
            let again = encode_result(&back);
            assert_eq!(again[0], check);
            assert!(matches!(&back, Err(Lost::Failed(error)) if error.is_rejection()) == (check == REJECTED));
        }
        assert!(decode_result::<Gf128>(&[9]).is_err() && decode_result::<Gf128>(&[]).is_err());
    }

    #[test]
    fn questions_and_answers_are_what_they_were() {
        let runs =
            vec![RunOf { number: 7, first: 8, wires: 1 << 20 }, RunOf { number: 1, first: 0, wires: 3 }];
        let question = Question { shard: 1, attempt: 2, seed: [3; 24], runs };
        let bytes = encode_question(&question);
        assert_eq!(decode_question(&bytes).expect("a question"), question);
        let sums = Wiped::new(vec![F61x2::ONE; 4]);
        let answer = Answer { shard: 1, attempt: 2, seed: [3; 24], sums };
        let mut said = encode_answer(&answer);
        assert_eq!(said.len(), answer_len::<F61x2>(&question));
        let back = decode_answer::<F61x2>(&said).expect("an answer");
        assert_eq!((back.shard, back.attempt, back.seed, &back.sums[..]), (1, 2, [3; 24], &answer.sums[..]));
        for end in 0..bytes.len() {
            let part = decode_question(&bytes[..end]);
            assert_eq!(part.is_ok(), end >= 32 && (bytes.len() - end).is_multiple_of(RUN), "{end}");
        }
        for end in 0..said.len() {
            let part = decode_answer::<F61x2>(&said[..end]);
            assert_eq!(part.is_ok(), end >= 32 && (said.len() - end).is_multiple_of(F61x2::BYTES), "{end}");
        }
        let last = said.len() - 1;
        said[last] = 0xff;
        assert!(decode_answer::<F61x2>(&said).is_err());
    }
}
