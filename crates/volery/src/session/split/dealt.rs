//! Systems whose correlations can be dealt.

use rand_core::CryptoRng;
use volery_channel::{Channel, tags};
use volery_field::{Authenticated, Element, F2, Gf128, Mac, Ring, Value, Wiped};
use volery_vole::Error as Misused;
use volery_vole::correlations::{Chain, Correlation, Lot as Correlations, Plan, Pool, Source};
use volery_vole::softspoken::{FieldBits, ReceiverSetup, SenderSetup};
use volery_vole::subfield::{self, FieldDelta};
use volery_vole::{Delta, Oracle, SessionId, base_ot, cot};
use volery_zk::soundness::FieldSize;
use zeroize::{Zeroize, Zeroizing};

use super::combine::Shown;
use crate::Error;
use crate::session::Options;
use crate::session::field::{ProverField, VerifierField, existing, pool};
use crate::session::rehearsal;
use crate::session::system::{Bits, Over, ProverSide, System, VerifierSide};

/// V's part of a lot, and delta.
pub(crate) type KeysAndDelta<M> = (Wiped<M>, Zeroizing<M>);

/// A system whose proofs can be split: QuickSilver over bits, and over a prime field.
pub trait Dealt: System {
    /// The values of wires.
    type Ring: Ring;
    /// The field of tags and keys, and of delta.
    type Mac: Element;
    /// P's share of a correlation.
    type ProverShare: Correlation;
    /// The most lost workers of a session: each is one more try for a cheating P, and this many leave as much
    /// of the soundness as their number says.
    const MOST_RETRIES: u32;
    /// Whether V's answer in a round tells a P that has cheated delta.
    const ANSWERS_TELL_DELTA: bool;

    /// What a guess of delta is worth.
    #[doc(hidden)]
    fn size() -> FieldSize;

    /// The number of correlations in a lot.
    ///
    /// # Errors
    /// [`Error::Options`] if there are no rounds over this field, so that nothing can grow from a lot.
    #[doc(hidden)]
    fn lot_len(options: &Options) -> Result<usize, Error>;

    /// Whether wires whose tags differ by this may have equal values, as far as the tags show that. P sends
    /// no hash of differences that show it has made a mistake: V could find out which wires differ.
    #[doc(hidden)]
    fn may_be_equal(_difference: &Self::Mac) -> bool {
        true
    }

    /// The part of a tag that shows its wire's value, if there is one: wires with equal values have equal
    /// ones. Of a key it is zero.
    #[doc(hidden)]
    const SHOWN: Shown<Self::Mac> = None;

    /// Takes P's part of a lot from its coordinator's session.
    #[doc(hidden)]
    fn deal_prover(side: &mut ProverSide<'_>, n: usize) -> Result<Wiped<Self::ProverShare>, Error>;

    /// V's part of that, and delta.
    #[doc(hidden)]
    fn deal_verifier(side: &mut VerifierSide<'_>, n: usize) -> Result<KeysAndDelta<Self::Mac>, Error>;

    /// Finishes every pending check of the correlations.
    #[doc(hidden)]
    fn settle_prover(side: &mut ProverSide<'_>) -> Result<(), Error>;

    /// V's side of that.
    #[doc(hidden)]
    fn settle_verifier(side: &mut VerifierSide<'_>) -> Result<(), Error>;

    /// Gives P's worker its correlations: a generator over its lot.
    #[doc(hidden)]
    fn start_prover(
        side: &mut ProverSide<'_>,
        lot: Wiped<Self::ProverShare>,
        commitments: Option<u64>,
        rng: &mut dyn CryptoRng,
    ) -> Result<(), Error>;

    /// V's part of that.
    #[doc(hidden)]
    fn start_verifier(
        side: &mut VerifierSide<'_>,
        lot: (Wiped<Self::Mac>, &Self::Mac),
        commitments: Option<u64>,
        rng: &mut dyn CryptoRng,
    ) -> Result<(), Error>;

    /// The stages by which a worker makes its correlations, if its shard says that it has so many
    /// commitments.
    ///
    /// # Errors
    /// As [`Dealt::lot_len`].
    #[doc(hidden)]
    fn plan(options: &Options, commitments: Option<u64>) -> Result<Plan, Error>;

    /// As [`Dealt::start_prover`], in a rehearsal.
    #[doc(hidden)]
    fn rehearse(
        side: &mut ProverSide<'_>,
        commitments: Option<u64>,
        rng: &mut dyn CryptoRng,
    ) -> Result<(), Error>;

    /// Delta over bits, where that is the key.
    #[doc(hidden)]
    fn binary_delta(delta: &Self::Mac) -> Delta;

    /// Bytes of P's share of a correlation.
    #[doc(hidden)]
    const SHARE_BYTES: usize;

    /// Appends P's share of a correlation.
    #[doc(hidden)]
    fn encode_share(share: &Self::ProverShare, out: &mut Vec<u8>);

    /// The share in exactly as many bytes; none if they are no share.
    #[doc(hidden)]
    fn decode_share(bytes: &[u8]) -> Option<Self::ProverShare>;
}

/// Appends an element.
pub(super) fn encode<R: Ring>(element: &R, out: &mut Vec<u8>) {
    let start = out.len();
    out.resize(start + R::BYTES, 0);
    // The length is right, so this cannot fail.
    let _ = element.encode(&mut out[start..]);
}

/// A lot is read without rounds by shards that take no more of it than this part: what else a shard takes,
/// as for disjunctions, is not counted before.
const ALONE: usize = 2;

/// The plan over a lot, for a shard that takes the expected number of correlations.
fn plan(lot: usize, rounds: Plan, expected: Option<u64>) -> Plan {
    match expected {
        Some(n) if n <= (lot / ALONE) as u64 => Plan::lot_alone(),
        _ => rounds,
    }
}

impl Dealt for Bits {
    type Ring = F2;
    type Mac = Gf128;
    type ProverShare = Gf128;
    const MOST_RETRIES: u32 = 1 << 10;
    const ANSWERS_TELL_DELTA: bool = false;
    const SHOWN: Shown<Gf128> = Some(|mac| Gf128::from_bits(mac.to_bits() & 1));

    fn size() -> FieldSize {
        FieldSize::OVER_BITS
    }

    /// A tag's lowest bit is the value; keys are even.
    fn may_be_equal(difference: &Gf128) -> bool {
        difference.to_bits() & 1 == 0
    }

    fn lot_len(options: &Options) -> Result<usize, Error> {
        Ok(options.profile.plan_of_lot().lot_len())
    }

    fn deal_prover(side: &mut ProverSide<'_>, n: usize) -> Result<Wiped<Gf128>, Error> {
        let mut lot = Wiped::new(vec![Gf128::ZERO; n]);
        side.pool.fill(side.channel, &mut lot)?;
        Ok(lot)
    }

    fn deal_verifier(
        side: &mut VerifierSide<'_>,
        n: usize,
    ) -> Result<(Wiped<Gf128>, Zeroizing<Gf128>), Error> {
        let mut lot = Wiped::new(vec![Gf128::ZERO; n]);
        side.pool.fill(side.channel, &mut lot)?;
        Ok((lot, Zeroizing::new(side.delta.expose())))
    }

    fn settle_prover(side: &mut ProverSide<'_>) -> Result<(), Error> {
        Ok(side.pool.settle(side.channel)?)
    }

    fn settle_verifier(side: &mut VerifierSide<'_>) -> Result<(), Error> {
        Ok(side.pool.settle(side.channel)?)
    }

    fn start_prover(
        side: &mut ProverSide<'_>,
        lot: Wiped<Gf128>,
        commitments: Option<u64>,
        rng: &mut dyn CryptoRng,
    ) -> Result<(), Error> {
        let (common, options) = (side.common, &side.common.options);
        let plan = Self::plan(options, commitments)?;
        let party = cot::ProverParty::new(common.id, Correlations::new(lot), rng);
        *side.pool = pool(party, plan, options, common.threads.clone(), rng);
        Ok(())
    }

    fn start_verifier(
        side: &mut VerifierSide<'_>,
        (lot, delta): (Wiped<Gf128>, &Gf128),
        commitments: Option<u64>,
        rng: &mut dyn CryptoRng,
    ) -> Result<(), Error> {
        let (common, options) = (side.common, &side.common.options);
        let plan = Self::plan(options, commitments)?;
        let delta = Delta::from_element(*delta);
        let party = cot::VerifierParty::new(common.id, Correlations::new(lot), delta, rng);
        *side.pool = pool(party, plan, options, common.threads.clone(), rng);
        Ok(())
    }

    fn plan(options: &Options, commitments: Option<u64>) -> Result<Plan, Error> {
        let rounds = options.profile.plan_of_lot();
        Ok(plan(rounds.lot_len(), rounds, Self::correlations(options, commitments)))
    }

    fn rehearse(
        side: &mut ProverSide<'_>,
        commitments: Option<u64>,
        rng: &mut dyn CryptoRng,
    ) -> Result<(), Error> {
        let (common, options) = (side.common, &side.common.options);
        let (party, plan) = (cot::BlankParty::of_lot(common.id), Self::plan(options, commitments)?);
        *side.pool = pool(party, plan, options, common.threads.clone(), rng);
        Ok(())
    }

    fn binary_delta(delta: &Gf128) -> Delta {
        Delta::from_element(*delta)
    }

    const SHARE_BYTES: usize = Gf128::BYTES;

    fn encode_share(share: &Gf128, out: &mut Vec<u8>) {
        encode(share, out);
    }

    fn decode_share(bytes: &[u8]) -> Option<Gf128> {
        Gf128::decode(bytes).ok()
    }
}

/// The pool of a worker before it has its lot, and over bits that of one whose proof is over a field: nothing
/// can be taken from it.
pub(super) fn no_bits() -> Pool {
    Pool::new(Box::new(NoBits))
}

/// See [`no_bits`].
struct NoBits;

impl Source for NoBits {
    fn refill(&mut self, _: &mut dyn Channel, out: &mut Vec<Gf128>) -> Result<(), Misused> {
        out.zeroize();
        Err(Misused::misuse(NO_BITS))
    }

    fn may_wait(&self) -> bool {
        false
    }

    /// Nothing was taken and nothing can be, so there is nothing that this would have to bind P to.
    fn chain(&mut self, _: &mut dyn Channel, _: u64) -> Result<Chain, Misused> {
        Ok(Chain::from_bytes([0; 32]))
    }
}

const NO_BITS: &str = "a worker of a proof over a field has no correlations over bits";

/// The name of the part of a worker's session that makes the bits of its rounds' paths: nothing hashed in it
/// agrees with the rest.
fn paths(worker: &SessionId) -> SessionId {
    SessionId::new(Oracle::new("split: paths of a worker's rounds", worker).hash(0, &[]))
}

impl<F: Value, M: Mac<F>> Dealt for Over<F, M> {
    type Ring = F;
    type Mac = M;
    type ProverShare = Authenticated<F, M>;
    const MOST_RETRIES: u32 = 8;
    const ANSWERS_TELL_DELTA: bool = true;

    fn size() -> FieldSize {
        FieldSize::of::<F, M>()
    }

    fn lot_len(options: &Options) -> Result<usize, Error> {
        match subfield::plan_of_lot::<F, M>(options.profile) {
            Some(plan) => Ok(subfield::lot_len::<F, M>(&plan)),
            None => Err(Error::Options(format!(
                "proofs over {} cannot be split: correlations over it do not grow from a lot",
                F::NAME
            ))),
        }
    }

    fn deal_prover(side: &mut ProverSide<'_>, n: usize) -> Result<Wiped<Authenticated<F, M>>, Error> {
        let field = existing::<ProverField<F, M>>(side.field)?.ok_or(Error::Over)?;
        let mut lot = Wiped::new(vec![Authenticated::default(); n]);
        field.pool.fill(side.channel, &mut lot)?;
        Ok(lot)
    }

    fn deal_verifier(side: &mut VerifierSide<'_>, n: usize) -> Result<(Wiped<M>, Zeroizing<M>), Error> {
        let field = existing::<VerifierField<F, M>>(side.field)?.ok_or(Error::Over)?;
        let mut lot = Wiped::new(vec![M::ZERO; n]);
        field.pool.fill(side.channel, &mut lot)?;
        Ok((lot, Zeroizing::new(field.delta.expose())))
    }

    fn settle_prover(side: &mut ProverSide<'_>) -> Result<(), Error> {
        let field = existing::<ProverField<F, M>>(side.field)?.ok_or(Error::Over)?;
        Ok(field.pool.settle(side.channel)?)
    }

    fn settle_verifier(side: &mut VerifierSide<'_>) -> Result<(), Error> {
        let field = existing::<VerifierField<F, M>>(side.field)?.ok_or(Error::Over)?;
        Ok(field.pool.settle(side.channel)?)
    }

    fn start_prover(
        side: &mut ProverSide<'_>,
        lot: Wiped<Authenticated<F, M>>,
        commitments: Option<u64>,
        rng: &mut dyn CryptoRng,
    ) -> Result<(), Error> {
        let (common, options) = (side.common, &side.common.options);
        let plan = <Self as Dealt>::plan(options, commitments)?;
        let setup = ReceiverSetup::start(rng);
        side.channel.send(tags::BASE_OT_SENDER, &setup.message())?;
        let bits = setup.receive(&paths(&common.id), FieldBits::Eight, side.channel)?;
        side.channel.flush()?;
        let party = subfield::ProverParty::of_lot(common.id, Correlations::new(lot), bits, rng);
        let pool = pool(party, plan, options, common.threads.clone(), rng);
        *side.field = Some(Box::new(ProverField::<F, M> { pool }));
        Ok(())
    }

    fn start_verifier(
        side: &mut VerifierSide<'_>,
        (lot, delta): (Wiped<M>, &M),
        commitments: Option<u64>,
        rng: &mut dyn CryptoRng,
    ) -> Result<(), Error> {
        let (common, options) = (side.common, &side.common.options);
        let plan = <Self as Dealt>::plan(options, commitments)?;
        let setup = SenderSetup::send(Delta::random(rng), side.channel, rng)?;
        let mut point = [0; base_ot::SENDER_MESSAGE_BYTES];
        side.channel.recv_exact(tags::BASE_OT_SENDER, &mut point)?;
        let bits = setup.finish(&paths(&common.id), FieldBits::Eight, &point, side.channel)?;
        let delta = FieldDelta::from_element(*delta);
        let party =
            subfield::VerifierParty::of_lot(common.id, Correlations::new(lot), delta.duplicate(), bits, rng);
        let pool = pool(party, plan, options, common.threads.clone(), rng);
        *side.field = Some(Box::new(VerifierField::<F, M>::new(pool, delta)));
        Ok(())
    }

    fn plan(options: &Options, commitments: Option<u64>) -> Result<Plan, Error> {
        let lot = Self::lot_len(options)?;
        let rounds = subfield::plan_of_lot::<F, M>(options.profile).ok_or(Error::Over)?;
        Ok(plan(lot, rounds, Self::correlations(options, commitments)))
    }

    fn rehearse(
        side: &mut ProverSide<'_>,
        commitments: Option<u64>,
        rng: &mut dyn CryptoRng,
    ) -> Result<(), Error> {
        let plan = <Self as Dealt>::plan(&side.common.options, commitments)?;
        let field = rehearsal::field_of_lot::<F, M>(side.common, plan, side.channel, rng)?;
        *side.field = Some(Box::new(field));
        Ok(())
    }

    /// A worker over a field has no wires over bits, and nothing takes this key.
    fn binary_delta(_: &M) -> Delta {
        Delta::from_element(Gf128::ZERO)
    }

    const SHARE_BYTES: usize = F::BYTES + M::BYTES;

    fn encode_share(share: &Authenticated<F, M>, out: &mut Vec<u8>) {
        encode(&share.x, out);
        encode(&share.m, out);
    }

    fn decode_share(bytes: &[u8]) -> Option<Authenticated<F, M>> {
        let (x, m) = bytes.split_at_checked(F::BYTES)?;
        Some(Authenticated { x: F::decode(x).ok()?, m: M::decode(m).ok()? })
    }
}
