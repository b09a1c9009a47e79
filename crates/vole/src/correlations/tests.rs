//! Generators over parties that check nothing: which messages the chain depends on, where, and what is given
//! out.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use rand_core::SeedableRng;
use volery_channel::{Limits, Tag, memory_pair, tags};
use volery_testing::{Edit, between};

use super::*;
use crate::SessionId;

const ROUND: Params = Params { log_k: 3, log_block: 2, trees: 16 };

const PLAN: Plan = Plan { extension: 4 * 8, chunk: 8, long: u64::MAX, lead: 0, rounds: &[ROUND] };

const SESSION: SessionId = SessionId::new([5; 32]);

/// A party whose correlations are numbers, each given out once at most. `IS_V`; `EARLY`: a round ends with
/// V's answer.
struct Loose<const IS_V: bool, const EARLY: bool> {
    session: SessionId,
    next: u64,
    said: u8,
    /// What rounds started from.
    bases: Arc<Mutex<Vec<u64>>>,
}

struct Numbers(u64);

impl Round for Numbers {
    type Correlation = u64;

    fn params(&self) -> Params {
        ROUND
    }

    fn block(&self, tree: usize, out: &mut [u64]) -> Result<(), Error> {
        let first = (self.0 + 1) << 32 | (tree << ROUND.log_block) as u64;
        out.iter_mut().zip(first..).for_each(|(out, n)| *out = n);
        Ok(())
    }
}

impl<const IS_V: bool, const EARLY: bool> Loose<IS_V, EARLY> {
    fn new(bases: &Arc<Mutex<Vec<u64>>>) -> Self {
        Self { session: SESSION, next: 0, said: 0, bases: Arc::clone(bases) }
    }

    /// A message from P, or from V, that says something new.
    fn say(&mut self, from_v: bool, tag: Tag, channel: &mut dyn Channel) -> Result<(), Error> {
        if from_v == IS_V {
            self.said = self.said.wrapping_add(1);
            channel.send(tag, &[self.said; 4])?;
            Ok(channel.flush()?)
        } else {
            Ok(channel.recv_exact(tag, &mut [0; 4])?)
        }
    }
}

impl<const IS_V: bool, const EARLY: bool> Party for Loose<IS_V, EARLY> {
    type Correlation = u64;
    type Round = Numbers;

    const IS_V: bool = IS_V;
    const ANSWER_IS_LAST: bool = EARLY;
    const LINK: Tag = tags::BITS_LINK;

    fn kind() -> String {
        "numbers".to_owned()
    }

    fn session(&self) -> &SessionId {
        &self.session
    }

    fn base_len(params: &Params) -> usize {
        params.table_len()
    }

    fn extend(&mut self, n: usize, channel: &mut dyn Channel, out: &mut Vec<u64>) -> Result<(), Error> {
        out.extend(self.next..self.next + n as u64);
        self.next += n as u64;
        self.say(false, tags::SOFT_SPOKEN_EXTEND, channel)
    }

    fn open(
        &mut self,
        number: u64,
        _params: Params,
        base: Zeroizing<Vec<u64>>,
        channel: &mut dyn Channel,
    ) -> Result<Numbers, Error> {
        self.bases.lock().unwrap().extend_from_slice(&base);
        self.say(false, tags::SOFT_SPOKEN_EXTEND, channel)?;
        if IS_V {
            self.say(true, tags::FERRET_TREES, channel)?;
        }
        Ok(Numbers(number))
    }

    fn check(&mut self, _round: &mut Numbers, channel: &mut dyn Channel) -> Result<(), Error> {
        if IS_V {
            return Ok(());
        }
        self.say(true, tags::FERRET_TREES, channel)?;
        self.say(false, tags::FERRET_CHECK, channel)
    }

    fn answer(&mut self, _round: &mut Numbers, channel: &mut dyn Channel) -> Result<(), Error> {
        if !IS_V {
            return Ok(());
        }
        self.say(false, tags::FERRET_CHECK, channel)?;
        self.say(true, tags::FERRET_VERDICT, channel)
    }

    fn verdict(&mut self, _round: &mut Numbers, channel: &mut dyn Channel) -> Result<(), Error> {
        if !IS_V {
            self.say(true, tags::FERRET_VERDICT, channel)?;
        }
        if EARLY { Ok(()) } else { self.say(false, tags::SUBFIELD_OPENING, channel) }
    }
}

fn workers(threads: usize) -> Option<Arc<rayon::ThreadPool>> {
    (threads > 1).then(|| Arc::new(rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap()))
}

/// What a party saw: the chain after each of some takings, all that it took and what its rounds started from,
/// its messages.
struct Seen {
    chains: Vec<Chain>,
    taken: Vec<u64>,
    bases: Vec<u64>,
    sent: Vec<(Tag, Vec<u8>)>,
}

/// A message of P's (`false`) or V's that changes on its way, in its first byte or in its last.
#[derive(Clone, Copy, PartialEq)]
struct Flip {
    of_v: bool,
    message: usize,
    last: bool,
}

/// How a run goes: what is taken before each look at the chain, what is made ahead after it, V's randomness,
/// threads, and what changes.
#[derive(Clone)]
struct Run {
    takings: Vec<usize>,
    ahead: u64,
    settles: bool,
    rng: u8,
    threads: [usize; 2],
    flip: Option<Flip>,
}

fn by_ones(n: usize) -> Run {
    Run { takings: vec![1; n], ahead: 0, settles: false, rng: 1, threads: [1, 1], flip: None }
}

fn party<const IS_V: bool, const EARLY: bool>(
    run: &Run,
    plan: Plan,
    channel: impl Channel,
) -> Result<Seen, Error> {
    let sent = Arc::new(Mutex::new(Vec::new()));
    let (log, flip, mut count) = (Arc::clone(&sent), run.flip, 0);
    let tap = move |tag: Tag, payload: &mut Vec<u8>| {
        log.lock().unwrap().push((tag, payload.clone()));
        if let Some(Flip { of_v, message, last }) = flip
            && (of_v, message) == (IS_V, count)
        {
            let at = if last { payload.len() - 1 } else { 0 };
            payload[at] ^= 1;
        }
        count += 1;
    };
    let mut channel = Edit::on(channel, tap);
    let bases = Arc::default();
    let rng = &mut rand_chacha::ChaCha12Rng::from_seed([run.rng; 32]);
    let generator = Generator::linked(
        Loose::<IS_V, EARLY>::new(&bases),
        plan,
        workers(run.threads[usize::from(IS_V)]),
        rng,
    );
    let mut pool = Pool::new(Box::new(generator));
    let mut chains = vec![pool.chain(&mut channel)?];
    let mut taken = Vec::new();
    for n in &run.takings {
        let mut some = vec![0; *n];
        pool.fill(&mut channel, &mut some)?;
        taken.extend(some);
        chains.push(pool.chain(&mut channel)?);
        if run.ahead > 0 {
            let end = pool.index() + run.ahead;
            pool.make(&mut channel, end)?;
        }
        if run.settles {
            pool.settle(&mut channel)?;
        }
    }
    channel.send(tags::GOODBYE, &[])?;
    channel.recv(tags::GOODBYE, 0)?;
    channel.flush()?;
    let (sent, bases) = (sent.lock().unwrap().clone(), bases.lock().unwrap().clone());
    Ok(Seen { chains, taken, bases, sent })
}

fn both<const EARLY: bool>(run: &Run, plan: Plan) -> (Seen, Seen) {
    let (p, v) = between(|p| party::<false, EARLY>(run, plan, p), |v| party::<true, EARLY>(run, plan, v));
    (p.unwrap(), v.unwrap())
}

/// Each message that makes correlations, changed in its first byte and in its last.
fn flips(sent: &[(Tag, Vec<u8>)], of_v: bool) -> impl Iterator<Item = (Flip, Tag)> {
    let messages = sent.iter().enumerate().filter(|(_, (tag, _))| *tag != tags::GOODBYE);
    messages
        .flat_map(move |(message, (tag, _))| [false, true].map(|last| (Flip { of_v, message, last }, *tag)))
}

fn kinds(check: impl Fn(&dyn Fn(&Run, Plan) -> (Seen, Seen))) {
    check(&both::<true>);
    check(&both::<false>);
}

#[test]
fn both_parties_have_one_chain_at_every_index_and_it_changes_where_a_batch_begins() {
    kinds(|both| {
        let (p, v) = both(&by_ones(250), PLAN);
        assert_eq!(p.chains, v.chains);
        let changes: Vec<usize> = (1..p.chains.len()).filter(|i| p.chains[*i] != p.chains[i - 1]).collect();
        // Four chunks; then rounds of 64, of which 8 at least are set aside for the next.
        assert_eq!(changes[..5], [1, 9, 17, 25, 33]);
        assert!(changes.len() > 7 && changes[5..].windows(2).all(|w| w[1] - w[0] >= 50), "{changes:?}");
        let different: BTreeSet<_> = p.chains.iter().map(Chain::as_bytes).collect();
        assert_eq!(different.len(), changes.len() + 1);
    });
}

/// Batches arrive at other times if they are made ahead, in larger refills, or if a round is settled early.
#[test]
fn the_chain_at_an_index_does_not_depend_on_what_was_made_ahead() {
    kinds(|both| {
        let (plain, _) = both(&by_ones(250), PLAN);
        for (ahead, settles, threads) in
            [(0, true, [1, 1]), (100, false, [1, 1]), (100, true, [1, 4]), (3, true, [4, 1])]
        {
            let (p, v) = both(&Run { ahead, settles, threads, ..by_ones(250) }, PLAN);
            assert_eq!(p.chains, v.chains);
            // What V draws depends on what was said, and who settles says the same in another order.
            assert_eq!(p.chains, plain.chains, "{ahead} {settles} {threads:?}");
        }
        let (p, _) = both(&Run { takings: vec![7; 35], ..by_ones(0) }, PLAN);
        assert!(p.chains.iter().eq(plain.chains.iter().step_by(7)));
    });
}

#[test]
fn every_bit_of_every_message_changes_the_chain() {
    kinds(|both| {
        let (honest, _) = both(&by_ones(400), PLAN);
        let (p, v) = both(&by_ones(170), PLAN);
        for (from_v, sent) in [(false, &p.sent), (true, &v.sent)] {
            for (flip, tag) in flips(sent, from_v) {
                let (p, v) = both(&Run { flip: Some(flip), ..by_ones(400) }, PLAN);
                assert_ne!(p.chains.last(), v.chains.last(), "{tag} {}", flip.message);
                let reader = if from_v { &p } else { &v };
                assert_ne!(reader.chains.last(), honest.chains.last(), "{tag} {}", flip.message);
            }
        }
        let kinds: BTreeSet<u8> = [p.sent, v.sent].iter().flatten().map(|(tag, _)| tag.byte()).collect();
        assert!(kinds.len() >= 6, "{kinds:?}");
    });
}

#[test]
fn v_draws_its_bytes_after_it_has_read_p_s_last_message_of_the_batch() {
    kinds(|both| {
        let links = |sent: &[(Tag, Vec<u8>)]| {
            Vec::from_iter(
                sent.iter().filter(|(tag, _)| *tag == tags::BITS_LINK).map(|(_, bytes)| bytes.clone()),
            )
        };
        let honest = links(&both(&by_ones(400), PLAN).1.sent);
        assert_eq!(honest.iter().collect::<BTreeSet<_>>().len(), honest.len());
        let (p, _) = both(&by_ones(170), PLAN);
        for (flip, tag) in flips(&p.sent, false) {
            let (_, v) = both(&Run { flip: Some(flip), ..by_ones(400) }, PLAN);
            let links = links(&v.sent);
            // The bytes of this message's batch, and no others.
            let different = (0..honest.len()).filter(|i| links[*i] != honest[*i]).count();
            assert_eq!(different, 1, "{tag} {}", flip.message);
        }
        let (_, other) = both(&Run { rng: 2, ..by_ones(400) }, PLAN);
        assert!(links(&other.sent).iter().zip(&honest).all(|(other, honest)| other != honest));
    });
}

/// The formula of the module's documentation.
#[test]
fn the_chain_is_the_documented_hash() {
    let (p, v) = both::<true>(&by_ones(9), PLAN);
    let oracle = crate::Oracle::new("correlations: chain", &SESSION);
    let mut chain: [u8; 32] = oracle.hash(0, &[b"start", b"numbers"]);
    assert_eq!(p.chains[0].as_bytes(), &chain);
    let links = v.sent.iter().filter(|(tag, _)| *tag == tags::BITS_LINK);
    let chunks = p.sent.iter().filter(|(tag, _)| *tag == tags::SOFT_SPOKEN_EXTEND);
    for (n, ((_, bytes), (tag, chunk))) in links.zip(chunks).take(1).enumerate() {
        let mut from_p = blake3::Hasher::new();
        from_p.update(&[tag.byte()]).update(&4_u64.to_le_bytes()).update(chunk);
        let mut both = blake3::Hasher::new_derive_key("volery 2026 correlations: messages v1");
        both.update(from_p.finalize().as_bytes()).update(blake3::hash(b"").as_bytes());
        let digest = *both.finalize().as_bytes();
        chain = oracle.hash(n as u64 + 1, &[&chain, b"numbers", &digest, bytes]);
    }
    assert_eq!(p.chains[1].as_bytes(), &chain);
}

/// What a round starts from is the next round's secret.
#[test]
fn nothing_that_a_round_starts_from_is_given_out_and_nothing_is_given_out_twice() {
    kinds(|both| {
        for threads in [[1, 1], [4, 2]] {
            let (p, v) = both(&Run { threads, ..by_ones(1000) }, PLAN);
            assert_eq!(p.taken, v.taken);
            assert_eq!(p.bases, v.bases);
            assert!(p.bases.len() > 10 * ROUND.table_len());
            let all = BTreeSet::from_iter(p.taken.iter().chain(&p.bases));
            assert_eq!(all.len(), p.taken.len() + p.bases.len());
        }
    });
}

#[test]
fn a_generator_without_rounds_has_few_links_unread_and_both_parties_know_when_p_waits() {
    const EXTENSION_ALONE: Plan = Plan { rounds: &[], ..PLAN };
    let chunks = 3 * MOST_UNREAD + 5;
    fn waits<const IS_V: bool>(channel: &mut dyn Channel, chunks: usize) -> (Vec<usize>, Chain) {
        let rng = &mut rand_chacha::ChaCha12Rng::from_seed([1; 32]);
        let bases = Arc::default();
        let mut generator = Generator::linked(Loose::<IS_V, true>::new(&bases), EXTENSION_ALONE, None, rng);
        let (mut out, mut waits) = (Vec::new(), Vec::new());
        for i in 0..chunks {
            if generator.may_wait() {
                waits.push(i);
            }
            generator.refill(channel, &mut out).unwrap();
            assert!(generator.link.as_ref().unwrap().unread() <= MOST_UNREAD);
        }
        let taken = generator.given();
        (waits, generator.chain(channel, taken).unwrap())
    }
    let (p, v) = between(|p| waits::<false>(p, chunks), |v| waits::<true>(v, chunks));
    assert_eq!(p, v);
    let (waits, _) = v;
    assert_eq!(waits, [MOST_UNREAD, 2 * MOST_UNREAD, 3 * MOST_UNREAD]);
}

#[test]
fn a_generator_that_is_not_linked_has_no_chain_and_is_shut_by_the_question() {
    let (mut channel, _peer) = memory_pair(&Limits::default());
    let mut pool =
        Pool::new(Box::new(Generator::new(Loose::<false, true>::new(&Arc::default()), PLAN, None)));
    pool.fill(&mut channel, &mut [0; 3]).unwrap();
    assert!(matches!(pool.chain(&mut channel), Err(Error::Misuse(_))));
    assert!(pool.at_hand().is_empty());
    assert!(matches!(pool.fill(&mut channel, &mut [0]), Err(Error::Misuse(_))));
}

#[test]
fn the_start_of_a_chain_is_the_session_s_and_the_kind_s() {
    let start = |session: u8, kind: &str| {
        let (mut channel, _peer) = memory_pair(&Limits::default());
        let mut link = Link::new(&SessionId::new([session; 32]), kind.to_owned(), tags::BITS_LINK, None);
        link.chain(&mut channel, 0).unwrap()
    };
    assert_eq!(start(1, "bits"), start(1, "bits"));
    assert_ne!(start(1, "bits"), start(2, "bits"));
    assert_ne!(start(1, "bits"), start(1, "F61 in F61"));
    assert_ne!(start(1, "bits"), Chain::from_bytes([0xd7; 32]));
}
