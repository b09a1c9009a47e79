//! The end of a session: V opens its inputs, and P runs the whole program again, first in the clear and then
//! in zero knowledge.
//!
//! Both runs are [`replay`] with different backends and different treatment of outputs. In the proof V's
//! inputs and public ones are constants, and so is a public output once it is claimed. [`Fold`] keeps
//! everything that follows from constants out of the proof.

use rand_core::CryptoRng;
use volery_channel::{Channel, tags};
use volery_circuit::{Counter, Evaluator as Clear, Fold, Folded, Ops, Prove, Sizes};
use volery_field::{Bits, F2, Gf128};
use volery_vole::Delta;
use volery_vole::correlations::Pool;
use volery_zk::quicksilver::{
    self, Challenges,
    bits::{ProverWire, VerifierWire},
    verdict,
};
use zeroize::Zeroizing;

use super::program::{InputRecord, Owner, Program, Step, Wire};
use super::{Evaluator, Garbler, bits};
use crate::decoding::DIGEST_BYTES;
use crate::{Error, Function};

/// The wires of a session inside the proof: for claims beyond the outputs that V saw.
pub struct Proved<W>(Vec<Option<Folded<F2, W>>>);

impl<W> Proved<W> {
    /// The wire: a constant if both parties know it, else an authenticated bit. `None` if it was never
    /// evaluated.
    #[must_use]
    pub fn wire(&self, wire: Wire) -> Option<&Folded<F2, W>> {
        self.0.get(wire.index()).and_then(Option::as_ref)
    }
}

/// A backend that replays calls.
trait Replay: Ops<F2> {
    /// Runs `function` in the best way for this backend.
    fn call(&mut self, function: &impl Function, inputs: &[Self::Wire]) -> Result<Wires<Self>, Self::Error>;
}

impl Replay for Clear<F2> {
    fn call(&mut self, function: &impl Function, inputs: &[F2]) -> Result<Vec<F2>, Self::Error> {
        function.values(inputs)
    }
}

impl<B: Ops<F2>> Replay for Fold<'_, B> {
    /// If none of the inputs are known, the only constants to fold are those that were folded when it was
    /// garbled.
    fn call(&mut self, function: &impl Function, inputs: &[Self::Wire]) -> Result<Wires<Self>, Self::Error> {
        let wires: Option<Vec<_>> = inputs.iter().map(|input| input.wire().cloned()).collect();
        match wires {
            Some(wires) => Ok(function.run(self.inner(), &wires)?.into_iter().map(Folded::Wire).collect()),
            None => function.run(self, inputs),
        }
    }
}

/// The wires of a backend.
type Wires<B> = Vec<<B as Ops<F2>>::Wire>;

/// Runs every call that could be evaluated on `backend` again. `input` returns the wires of an input.
/// `output` gets the step's number, its wires, and what V saw of them; for public wires it returns their
/// replacements.
fn replay<F: Function, B: Replay>(
    program: &Program<F>,
    backend: &mut B,
    input: impl Fn(&InputRecord) -> Wires<B>,
    mut output: impl FnMut(&mut B, usize, Wires<B>, Output<'_, B::Wire>) -> Result<Wires<B>, B::Error>,
) -> Result<Vec<Option<B::Wire>>, B::Error> {
    let mut wires: Vec<Option<B::Wire>> = vec![None; program.wire_count()];
    for (number, step) in program.steps().iter().enumerate() {
        match step {
            Step::Input(record) => {
                let record = program.records().get(*record).filter(|record| record.delivered);
                if let Some(record) = record {
                    fill(&mut wires, record.first, input(record))?;
                }
            }
            Step::Call { function, inputs, outputs } => {
                // Circuits that were prepared but not used have no values.
                let Some(inputs) = gather(&wires, inputs) else { continue };
                let results = backend.call(function, &inputs)?;
                if results.len() != outputs.len() {
                    return Err(unsteady().into());
                }
                fill(&mut wires, outputs.start, results)?;
            }
            Step::Public { wires: places, values } => {
                let known = gather(&wires, places).ok_or_else(unsteady)?;
                let now = output(backend, number, known, Output::Public(values))?;
                for (place, wire) in places.iter().zip(now) {
                    fill(&mut wires, place.index(), vec![wire])?;
                }
            }
            Step::Shared { wires: places, masks, share } => {
                let known = gather(&wires, places).ok_or_else(unsteady)?;
                let masks = gather(&wires, masks).ok_or_else(unsteady)?;
                output(backend, number, known, Output::Shared { masks, share })?;
            }
        }
    }
    Ok(wires)
}

/// V's view of outputs.
enum Output<'a, W> {
    /// Their values, known to both parties.
    Public(&'a [F2]),
    /// Their values plus these masks of P's.
    Shared { masks: Vec<W>, share: &'a [F2] },
}

fn unsteady() -> volery_circuit::Error {
    volery_circuit::Error::Misuse("a function does not make the same calls each time it runs".into())
}

fn gather<W: Clone>(wires: &[Option<W>], places: &[Wire]) -> Option<Vec<W>> {
    places.iter().map(|place| wires.get(place.index()).cloned().flatten()).collect()
}

fn fill<W>(wires: &mut [Option<W>], first: usize, values: Vec<W>) -> Result<(), volery_circuit::Error> {
    let places = wires.get_mut(first..).filter(|places| places.len() >= values.len()).ok_or_else(unsteady)?;
    places.iter_mut().zip(values).for_each(|(place, value)| *place = Some(value));
    Ok(())
}

/// An input's wires in the proof. P's are committed by `commit`; all others are known.
fn proof_input<W>(record: &InputRecord, commit: impl Fn(Gf128) -> W) -> Vec<Folded<F2, W>> {
    match (record.owner, &record.values) {
        (Owner::Prover, _) => record.secrets.iter().map(|secret| Folded::Wire(commit(*secret))).collect(),
        (_, Some(values)) => values.iter().map(|x| Folded::Constant(*x)).collect(),
        (_, None) => Vec::new(),
    }
}

/// Claims that outputs have the values that V saw.
fn claim<B: Prove<F2>>(
    fold: &mut Fold<'_, B>,
    wires: Vec<Folded<F2, B::Wire>>,
    seen: Output<'_, Folded<F2, B::Wire>>,
) -> Result<Vec<Folded<F2, B::Wire>>, B::Error> {
    // Every wire is claimed: a shorter list would claim less.
    let claimed = match &seen {
        Output::Public(values) => values.len() == wires.len(),
        Output::Shared { masks, share } => masks.len() == wires.len() && share.len() == wires.len(),
    };
    if !claimed {
        return Err(unsteady().into());
    }
    let (differences, now): (Vec<_>, Vec<_>) = match seen {
        Output::Public(values) => {
            let differences = wires.iter().zip(values).map(|(wire, x)| fold.add_constant(wire, *x));
            (differences.collect(), values.iter().map(|x| Folded::Constant(*x)).collect())
        }
        Output::Shared { masks, share } => {
            let sums = wires.iter().zip(&masks).zip(share).map(|((wire, mask), x)| {
                let sum = fold.add(wire, mask);
                fold.add_constant(&sum, *x)
            });
            (sums.collect(), wires)
        }
    };
    fold.assert_zero(&differences)?;
    Ok(now)
}

/// The number of commitments of the proof, so that neither too many nor too few correlations are made.
fn count<F: Function>(program: &Program<F>) -> Result<u64, Error> {
    let mut counter = Counter::<F2, Sizes>::default();
    let wires = |record: &InputRecord| proof_input(record, |_| ());
    replay(program, &mut Fold::new(&mut counter), wires, |_, _, wires, seen| {
        Ok(match seen {
            Output::Public(values) => values.iter().map(|x| Folded::Constant(*x)).collect(),
            Output::Shared { .. } => wires,
        })
    })?;
    Ok(quicksilver::bits::Program::from(&counter.total()).commitments)
}

/// Announces the number of correlations that a proof of the program takes, with `claimed` commitments of
/// further claims and `garbled` AND gates in all.
///
/// A gate or an S-box is proved at most once. So if enough correlations for all of them are prepared, nothing
/// has to be announced, and the program need not be counted, which would mean running it once more. (If the
/// proof knows some but not all bits of an S-box's input that were secret when it was garbled, the S-box
/// takes more than is counted here. The missing correlations are made when they are needed.)
fn expect<F: Function>(
    pool: &mut Pool,
    program: &Program<F>,
    [garbled, claimed]: [u64; 2],
    settings: quicksilver::bits::Settings,
) -> Result<(), Error> {
    let correlations =
        |proved: u64| quicksilver::bits::Program::from(proved.saturating_add(claimed)).correlations(settings);
    if pool.prepared() < correlations(program.commitments(garbled)) {
        pool.expect(Some(correlations(count(program)?)));
    }
    Ok(())
}

/// The values of a session, at P after V has opened its inputs; wiped on drop.
pub struct Values(Zeroizing<Vec<Option<F2>>>);

impl Values {
    /// The wire's value; `None` if it was never evaluated.
    #[must_use]
    pub fn wire(&self, wire: Wire) -> Option<F2> {
        self.0.get(wire.index()).copied().flatten()
    }
}

impl<F: Function> Garbler<F> {
    /// Receives V's inputs, which it opens when nothing more will be computed, and checks everything that V
    /// sent. Returns every value of the session.
    ///
    /// # Errors
    /// [`Error::Cheat`] if V opens other inputs than it used, or returned values that do not follow from
    /// them; [`Error::Malformed`]; the channel's.
    pub fn learn(&mut self, channel: &mut dyn Channel) -> Result<Values, Error> {
        self.guarded(channel, |p, channel| {
            if p.program.is_closed() {
                return Err(Error::misuse("V has already opened its inputs"));
            }
            p.try_learn(channel)
        })
    }

    fn try_learn(&mut self, channel: &mut dyn Channel) -> Result<Values, Error> {
        self.receive_opening(channel)?;
        self.program.close();
        self.recompute()
    }

    /// Proves every call: that P's committed inputs, V's inputs and the functions give the values and shares
    /// that V saw. `more` adds the caller's own claims to the same proof; V must pass the same claims. This
    /// calls [`Garbler::learn`] first if that has not been done; in that case V does not call
    /// [`Evaluator::open`] either.
    ///
    /// Returns the result of `more`, and the remaining commitments. Calls whose inputs never came are not
    /// proved.
    ///
    /// # Errors
    /// [`Error::Cheat`] if V opens other inputs than it used, or returned values that do not follow from
    /// them; [`Error::Proof`] if a claim of `more` does not hold, or V rejects; [`Error::Malformed`]; the
    /// channel's errors.
    pub fn prove<T>(
        mut self,
        channel: &mut dyn Channel,
        rng: &mut dyn CryptoRng,
        more: impl FnOnce(
            &mut Fold<'_, quicksilver::bits::Prover<'_>>,
            &Proved<ProverWire>,
        ) -> Result<T, volery_zk::Error>,
    ) -> Result<(T, Pool), Error> {
        let result = self.guarded(channel, |p, channel| {
            if !p.program.is_closed() {
                p.try_learn(channel)?;
            }
            let ands = [p.settings.garbling.ands(p.keys(), p.program.s_boxes()), p.claimed];
            expect(&mut p.commitments, &p.program, ands, p.settings.proof)?;
            let challenges = Challenges::Interactive(rng);
            let mut prover = quicksilver::bits::Prover::new(
                p.settings.proof,
                challenges,
                &mut p.commitments,
                channel,
                None,
            );
            let mut fold = Fold::new(&mut prover);
            let input = |record: &InputRecord| proof_input(record, ProverWire::from_tag);
            let wires =
                replay(&p.program, &mut fold, input, |fold, _, wires, seen| claim(fold, wires, seen))?;
            let result = more(&mut fold, &Proved(wires))?;
            prover.finish()?;
            verdict::receive(channel)?;
            Ok(result)
        })?;
        Ok((result, self.commitments))
    }

    /// Receives V's inputs, with a hash of their labels.
    fn receive_opening(&mut self, channel: &mut dyn Channel) -> Result<(), Error> {
        let records = self.program.records().iter();
        let opened = records.filter(|record| record.owner == Owner::Verifier && record.delivered);
        let spans: Vec<_> = opened.map(|record| record.first..record.first + record.len).collect();
        let total = spans.iter().map(ExactSizeIterator::len).sum::<usize>();
        let mut message = vec![0; total.div_ceil(8) + DIGEST_BYTES];
        channel.recv_exact(tags::GARBLED_OPENING, &mut message)?;
        let (packed, shown) = message.split_at(total.div_ceil(8));
        let values = bits(tags::GARBLED_OPENING, packed, total)?;
        let zeros = spans.into_iter().flat_map(|span| self.zeros.get(span).unwrap_or_default());
        let zeros = Zeroizing::new(zeros.copied().collect::<Vec<_>>());
        let program = self.program.digest();
        self.check_shown(tags::GARBLED_OPENING, &program, &zeros, &values, shown)?;
        let mut values = values.into_iter();
        for record in self.program.records_mut() {
            if record.owner == Owner::Verifier && record.delivered {
                record.values = Some(Zeroizing::new(values.by_ref().take(record.len).collect()));
            }
        }
        Ok(())
    }

    /// Runs everything in the clear. Checks every value that V returned, and finds V's shares.
    fn recompute(&mut self) -> Result<Values, Error> {
        let (mut right, mut shares) = (true, Vec::new());
        let input =
            |record: &InputRecord| record.values.as_ref().map_or(Vec::new(), |values| values.to_vec());
        let values = replay(&self.program, &mut Clear::new(), input, |_, number, wires, seen| {
            match seen {
                Output::Public(values) => right &= wires == values,
                Output::Shared { masks, .. } => {
                    let share = wires.iter().zip(&masks).map(|(x, mask)| *x + *mask).collect();
                    shares.push((number, Zeroizing::new(share)));
                }
            }
            Ok(wires)
        })?;
        let values = Values(Zeroizing::new(values));
        if !right {
            return Err(Error::cheat(tags::GARBLED_OPENING, "the recomputation of the returned values"));
        }
        for (number, computed) in shares {
            if let Some(Step::Shared { share, .. }) = self.program.steps_mut().get_mut(number) {
                *share = computed;
            }
        }
        Ok(values)
    }
}

impl<F: Function> Evaluator<F> {
    /// Opens V's inputs to P. Call it when P can no longer use them for anything. Nothing can be computed
    /// afterwards.
    ///
    /// # Errors
    /// [`Error::Misuse`] if they are already open; any error of sending.
    pub fn open(&mut self, channel: &mut dyn Channel) -> Result<(), Error> {
        self.guarded(channel, |v, channel| {
            if v.program.is_closed() {
                return Err(Error::misuse("V has already opened its inputs"));
            }
            v.send_opening(channel)
        })
    }

    /// Verifies P's proof of every call. Only `Ok` means that V's decoded values are right. `more` are the
    /// caller's own claims, the same as P's. This calls [`Evaluator::open`] first if that has not been done.
    ///
    /// Returns the result of `more`, delta, and the remaining keys.
    ///
    /// # Errors
    /// [`Error::Proof`] with a rejection if the proof is wrong; otherwise the error that ended the session.
    pub fn verify<T>(
        mut self,
        channel: &mut dyn Channel,
        rng: &mut dyn CryptoRng,
        more: impl FnOnce(
            &mut Fold<'_, quicksilver::bits::Verifier<'_>>,
            &Proved<VerifierWire>,
        ) -> Result<T, volery_zk::Error>,
    ) -> Result<(T, Delta, Pool), Error> {
        let result = self.guarded(channel, |v, channel| {
            if !v.program.is_closed() {
                v.send_opening(channel)?;
            }
            let result = v.check_proof(channel, rng, more);
            let accepted = result.is_ok();
            if accepted || matches!(&result, Err(error) if error.is_rejection()) {
                // If the prover has hung up, a wrong proof is still a rejection and not a broken connection,
                // and a right proof stays accepted.
                let _ = verdict::send(channel, accepted);
            }
            result
        })?;
        Ok((result, self.delta, self.commitments))
    }

    fn check_proof<T>(
        &mut self,
        channel: &mut dyn Channel,
        rng: &mut dyn CryptoRng,
        more: impl FnOnce(
            &mut Fold<'_, quicksilver::bits::Verifier<'_>>,
            &Proved<VerifierWire>,
        ) -> Result<T, volery_zk::Error>,
    ) -> Result<T, Error> {
        let ands = [self.settings.garbling.ands(self.keys(), self.program.s_boxes()), self.claimed];
        expect(&mut self.commitments, &self.program, ands, self.settings.proof)?;
        let challenges = Challenges::Interactive(rng);
        let (proof, delta) = (self.settings.proof, &self.delta);
        let mut verifier =
            quicksilver::bits::Verifier::new(proof, challenges, delta, &mut self.commitments, channel, None);
        let mut fold = Fold::new(&mut verifier);
        let input = |record: &InputRecord| proof_input(record, VerifierWire::from_key);
        let wires = replay(&self.program, &mut fold, input, |fold, _, wires, seen| claim(fold, wires, seen))?;
        let result = more(&mut fold, &Proved(wires))?;
        verifier.finish()?;
        Ok(result)
    }

    fn send_opening(&mut self, channel: &mut dyn Channel) -> Result<(), Error> {
        let records = self.program.records().iter();
        let opened = || records.clone().filter(|record| record.owner == Owner::Verifier && record.delivered);
        let values = opened().filter_map(|record| record.values.as_ref()).flat_map(|values| values.iter());
        let mut message = values.copied().collect::<Bits>().to_bytes();
        let spans = opened().map(|record| record.first..record.first + record.len);
        let labels = spans.flat_map(|span| self.active.get(span).unwrap_or_default());
        let labels = Zeroizing::new(labels.copied().collect::<Vec<_>>());
        let program = self.program.digest();
        message.extend_from_slice(&self.decoding.digest(&program, &labels));
        channel.send(tags::GARBLED_OPENING, &message)?;
        self.program.close();
        Ok(channel.flush()?)
    }
}
