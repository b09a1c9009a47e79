//! What is estimated is what is sent, byte for byte and wait for wait, whatever is proved and however.

use rand_core::CryptoRng;
use volery::circuit::gadgets::field as field_gadgets;
use volery::macncheese::{Disjunction, Join, Settings};
use volery::statements::{
    Aes128Many, AndChain, MatrixProduct, MemoryAccesses, Mul32, MulChain, Short, Sis, TableLookups,
};
use volery::system::{Bits, Mixed, Over, Provable, Stacked, StackedOver, System};
use volery::{Channel, Error, Estimate, Options, Profile, Prover, Report, Verifier, estimate};
use volery_circuit::r1cs::{PrimeField, R1csStatement, sample};
use volery_circuit::{Backend, Convert, Counter, Digest, MatrixShape, Ops, Prove, Statement};
use volery_field::{
    Bn254Scalar, F2, F32, F32x4, F61, F61x2, Goldilocks, GoldilocksX2, Mac, PallasBase, Value,
};
use volery_zk::disjunction::AnyOf;
use volery_zk::quicksilver::bits::Program;
use volery_zk::quicksilver::soundness::Checks;
use volery_zk::soundness::{FieldSize, Mode, Soundness};

use crate::support::{Link, Product, between, patient, rng};

/// A proof, at a P with somebody to talk to and at one without.
trait Case {
    fn name(&self) -> String;

    fn prove(&self, prover: &mut Prover<Link>, rng: &mut dyn CryptoRng) -> Result<Report, Error>;

    /// Without a witness.
    fn estimate(&self, options: Options) -> Result<Estimate, Error>;

    fn verify(&self, verifier: &mut Verifier<Link>, rng: &mut dyn CryptoRng) -> Result<Report, Error>;
}

/// A statement with its witness and without, under one of the systems.
struct Of<Y, S> {
    name: &'static str,
    system: Y,
    witness: S,
    claim: S,
}

fn case<Y, S>(name: &'static str, system: Y, witness: S, claim: S) -> Box<dyn Case + Sync>
where
    Of<Y, S>: Case + Sync + 'static,
{
    Box::new(Of { name, system, witness, claim })
}

impl<Y, S> Case for Of<Y, S>
where
    Y: System,
    S: Provable<Y>,
{
    fn name(&self) -> String {
        self.name.to_owned()
    }

    fn prove(&self, prover: &mut Prover<Link>, rng: &mut dyn CryptoRng) -> Result<Report, Error> {
        prover.prove(self.system, &self.witness, rng)
    }

    fn estimate(&self, options: Options) -> Result<Estimate, Error> {
        estimate(options, self.system, &self.claim)
    }

    fn verify(&self, verifier: &mut Verifier<Link>, rng: &mut dyn CryptoRng) -> Result<Report, Error> {
        verifier.verify(self.system, &self.claim, rng)
    }
}

/// The same statement, keeping quiet about its size.
struct Silent<S>(S);

impl<B: Backend, S: Statement<B>> Statement<B> for Silent<S> {
    fn identify(&self, digest: &mut Digest) {
        Statement::<B>::identify(&self.0, digest);
    }

    fn run(&self, backend: &mut B) -> Result<(), B::Error> {
        self.0.run(backend)
    }
}

/// Apart from the time.
fn figures(estimate: &Estimate) -> [u64; 4] {
    [estimate.bytes_prover, estimate.bytes_verifier, estimate.round_trips, estimate.correlations]
}

fn check(options: Options, case: &(dyn Case + Sync)) {
    let what = format!("{}, {options:?}", case.name());
    let expected = case.estimate(options).expect(&what);
    let (p, v) = between(
        &patient(),
        |link| {
            let mut rng = rng(1);
            let mut prover = Prover::start(link, options, &mut rng)?;
            case.prove(&mut prover, &mut rng).map(|report| (report, prover.channel().stats()))
        },
        |link| {
            let mut rng = rng(2);
            let mut verifier = Verifier::start(link, options, &mut rng)?;
            case.verify(&mut verifier, &mut rng)
        },
    );
    let ((p, sent), v) = (p.expect(&what), v.expect(&what));
    let real = [sent.bytes_sent, sent.bytes_received, sent.round_trips, p.correlations];
    assert_eq!(figures(&expected), real, "{what}");
    assert_eq!(p.correlations, v.correlations, "{what}");
    assert_eq!((expected.soundness, expected.fields), (v.soundness, v.fields), "{what}");
    assert_eq!((p.soundness, p.fields), (v.soundness, v.fields), "{what}");
    let least = if v.soundness.mode() == Mode::Interactive { 40.0 } else { 100.0 };
    assert!(v.soundness.bits() > least, "{what}: {:?}", v.soundness.terms());
}

/// What a statement's counts promise, and what its proof is worth.
fn promised(what: &str, promised: Soundness, options: Options, proved: &Estimate) {
    let (least, bits) = (promised.bits(), proved.soundness.bits());
    assert!(least <= bits && bits < least + 2.0, "{what}, {options:?}: {least} promised, {bits}");
}

fn bits_are_as_promised<S>(what: &str, statement: &S)
where
    S: Statement<Counter<F2>> + Provable<Bits>,
{
    let counts = Counter::<F2>::count(statement).expect(what).total();
    for profile in [Profile::Lan, Profile::Wan] {
        let options = Options { profile, ..Options::default() };
        let checks = Program::from(&counts).checks(options.settings()).with_disjunctions(&counts);
        let least = Soundness::quicksilver(checks, FieldSize::OVER_BITS, Mode::Interactive);
        let proved = estimate(options, Bits, statement).expect(what);
        promised(what, least, options, &proved);
    }
}

fn elements_are_as_promised<F: Value, M: Mac<F>, S>(what: &str, statement: &S)
where
    S: Statement<Counter<F>> + Provable<Over<F, M>>,
{
    let counts = Counter::<F>::count(statement).expect(what).total();
    for profile in [Profile::Lan, Profile::Wan] {
        let options = Options { profile, ..Options::default() };
        let checks = Checks::of(&counts, options.settings_over().interval);
        let least = Soundness::quicksilver(checks, FieldSize::of::<F, M>(), Mode::Interactive);
        let proved = estimate(options, Over::<F, M>::new(), statement);
        promised(what, least, options, &proved.expect(what));
    }
}

/// What the program refuses or takes before a proof, by counting alone, is never worth less than it said.
#[test]
fn a_statement_s_counts_promise_no_more_than_its_proof_is_worth() {
    bits_are_as_promised("ANDs", &AndChain::new(150_000));
    bits_are_as_promised("AES", &Aes128Many::new(100));
    bits_are_as_promised("products", &Mul32::sample(300, [1; 32]));
    bits_are_as_promised("one of two", &any_of(&[300_000, 50], None));
    elements_are_as_promised::<F61, F61, _>("a chain", &chain::<F61>(150_000));
    let matrices = MatrixProduct::<F61>::sample(MatrixShape::square(25), true, [1; 32]).expect("small");
    elements_are_as_promised::<F61, F61x2, _>("a matrix product", &matrices);
    elements_are_as_promised::<F32, F32x4, _>("short solutions", &sis());
    elements_are_as_promised::<Bn254Scalar, Bn254Scalar, _>("R1CS", &system::<Bn254Scalar>(false));
    elements_are_as_promised::<Goldilocks, GoldilocksX2, _>("R1CS", &system::<Goldilocks>(false));
    elements_are_as_promised::<F61, F61, _>("one of three", &any_chain::<F61>(None));
    elements_are_as_promised::<F61, F61x2, _>("a memory", &accesses());
    elements_are_as_promised::<F61, F61, _>("a table", &lookups());
}

/// Every profile, kind of challenge and number of threads.
fn options() -> [Options; 5] {
    let [lan, wan] = [Profile::Lan, Profile::Wan].map(|profile| Options { profile, ..Options::default() });
    let hashed = |options| Options { fiat_shamir: true, ..options };
    [lan, hashed(lan), wan, hashed(wan), Options { threads: 3, ..lan }]
}

type Cases = Vec<Box<dyn Case + Sync>>;

const SMALL_MACS: &str = "small MACs";

/// Each case under one set of options or some: hashed challenges, the other profile and threads are tried
/// with each of these groups of cases, but not with each case.
fn in_turn(cases: Cases) {
    let [lan, _, _, hashed_wan, threads] = options();
    for (number, options) in
        [hashed_wan, threads, lan].into_iter().cycle().take(cases.len().max(3)).enumerate()
    {
        check(options, &*cases[number % cases.len()]);
    }
}

#[test]
#[ignore = "takes a minute without optimisation"]
fn long_of_every_statement_under_every_option() {
    for case in [bits(), fields(), robin(600_000), mac_n_cheese(), together()].into_iter().flatten() {
        // Hashed challenges are refused over MACs of 64 bits.
        let possible = |options: &Options| !options.fiat_shamir || case.name() != SMALL_MACS;
        for options in options().into_iter().filter(possible) {
            check(options, &*case);
        }
    }
}

fn bits() -> Cases {
    vec![
        case("1 AND", Bits, AndChain::new(1), AndChain::new(1)),
        case("10,000 ANDs", Bits, AndChain::new(10_000), AndChain::new(10_000)),
        case("AES", Bits, Aes128Many::new(30), Aes128Many::new(30)),
        case("products", Bits, Mul32::sample(30, [1; 32]), Mul32::sample(30, [1; 32])),
        case("300,000 ANDs", Bits, AndChain::new(300_000), AndChain::new(300_000)),
        case("300,000 ANDs, silent", Bits, Silent(AndChain::new(300_000)), Silent(AndChain::new(300_000))),
    ]
}

#[test]
fn of_bits() {
    in_turn(bits());
}

fn chain<F: Value>(n: u64) -> MulChain<F> {
    MulChain::new(n).expect("a chain")
}

fn system<F: PrimeField>(proved: bool) -> R1csStatement<F> {
    let (system, assignment) = sample::<F>(1, 400).expect("small");
    let system = std::sync::Arc::new(system);
    let with_witness = R1csStatement::prove(system.clone(), assignment).expect("fits");
    let public = with_witness.public().to_vec();
    if proved { with_witness } else { R1csStatement::new(system, public).expect("fits") }
}

fn sis() -> Sis<F32> {
    Sis::sample(64, 500, Short::Within(3), [1; 32]).expect("small")
}

fn fields() -> Cases {
    let (bn254, goldilocks) = (system::<Bn254Scalar>, system::<Goldilocks>);
    let pallas = || system::<PallasBase>(true);
    let small = || system::<Goldilocks>(true);
    vec![
        case("1 multiplication", Over::<F61, F61x2>::new(), chain::<F61>(1), chain::<F61>(1)),
        case("R1CS, 64 bits", Over::<Goldilocks, GoldilocksX2>::new(), goldilocks(true), goldilocks(false)),
        case("short solutions", Over::<F32, F32x4>::new(), sis(), sis()),
        case("R1CS", Over::<Bn254Scalar, Bn254Scalar>::new(), bn254(true), bn254(false)),
        case("100,000", Over::<F61, F61x2>::new(), chain::<F61>(100_000), chain::<F61>(100_000)),
        case(
            "100,000, silent",
            Over::<F61, F61x2>::new(),
            Silent(chain::<F61>(100_000)),
            Silent(chain::<F61>(100_000)),
        ),
        case(
            "a matrix product",
            Over::<F61, F61x2>::new(),
            MatrixProduct::<F61>::sample(MatrixShape::square(40), true, [1; 32]).expect("small"),
            MatrixProduct::<F61>::sample(MatrixShape::square(40), true, [1; 32]).expect("small"),
        ),
        case(SMALL_MACS, Over::<Goldilocks, Goldilocks>::new(), small(), small()),
        case("R1CS, 255 bits", Over::<PallasBase, PallasBase>::new(), pallas(), pallas()),
    ]
}

fn accesses() -> MemoryAccesses<F61> {
    MemoryAccesses::new(2000, 300).expect("small")
}

fn lookups() -> TableLookups<F61> {
    TableLookups::new(3000, 500).expect("small")
}

#[test]
fn of_memory_and_tables() {
    in_turn(vec![
        case("a memory", Over::<F61, F61x2>::new(), accesses(), accesses()),
        case("a table", Over::<F61, F61x2>::new(), lookups(), lookups()),
    ]);
}

#[test]
fn of_fields() {
    in_turn(fields());
}

/// One of several chains of ANDs.
fn any_of(lengths: &[u64], choice: Option<usize>) -> AnyOf<F2, AndChain> {
    let any = AnyOf::new(lengths.iter().map(|n| AndChain::new(*n)).collect()).expect("branches");
    match choice {
        Some(choice) => any.with_choice(choice).expect("there"),
        None => any,
    }
}

fn any_chain<F: Value>(choice: Option<usize>) -> AnyOf<F, MulChain<F>> {
    let any = AnyOf::new([100, 5000, 20].map(chain).into()).expect("branches");
    match choice {
        Some(choice) => any.with_choice(choice).expect("there"),
        None => any,
    }
}

/// The longest branch has so many ANDs: a whole fold of 2^18 of them, or two, and some more.
fn robin(longest: u64) -> Cases {
    let system = Over::<Goldilocks, GoldilocksX2>::new();
    vec![
        case("folds", Bits, any_of(&[longest, 50], Some(1)), any_of(&[longest, 50], None)),
        case("bits", Bits, any_of(&[100, 10_000], Some(1)), any_of(&[100, 10_000], None)),
        case("a field", Over::<F61, F61x2>::new(), any_chain::<F61>(Some(2)), any_chain::<F61>(None)),
        case("64 bits", system, any_chain::<Goldilocks>(Some(0)), any_chain::<Goldilocks>(None)),
    ]
}

#[test]
fn of_one_of_many_by_robin() {
    in_turn(robin(300_000));
}

const SETTINGS: Settings = Settings { interval: 1 << 12, ..Settings::LAN };

fn stacked(choice: &[usize]) -> Disjunction<AndChain> {
    let chains = [10_000, 200, 30_000].map(AndChain::new);
    Disjunction::new(Join::Tree, chains.into_iter().collect()).expect("three").with_choice(choice)
}

fn stacked_chains<F: Value>(choice: &[usize]) -> Disjunction<MulChain<F>> {
    let chains = [3000, 200, 8000].map(chain);
    Disjunction::new(Join::AtLeast(2), chains.into_iter().collect()).expect("three").with_choice(choice)
}

fn mac_n_cheese() -> Cases {
    let system = StackedOver::<Goldilocks, GoldilocksX2>::new(SETTINGS);
    vec![
        case("a tree", Stacked::new(SETTINGS), stacked(&[1]), stacked(&[])),
        case(
            "a threshold",
            StackedOver::<F61, F61x2>::new(SETTINGS),
            stacked_chains::<F61>(&[0, 1]),
            stacked_chains::<F61>(&[]),
        ),
        case("a chain", Stacked::new(SETTINGS), AndChain::new(20_000), AndChain::new(20_000)),
        case("any", Stacked::new(SETTINGS), any_of(&[3000, 9000], Some(1)), any_of(&[3000, 9000], None)),
        case("64 bits", system, stacked_chains::<Goldilocks>(&[0, 2]), stacked_chains::<Goldilocks>(&[])),
    ]
}

#[test]
fn of_one_of_many_by_mac_n_cheese() {
    in_turn(mac_n_cheese());
}

/// Bits and elements that speak of the same secrets.
struct Sums(usize);

impl<B: Convert<F61>> Statement<B> for Sums {
    fn identify(&self, digest: &mut Digest) {
        digest.bytes("statement", b"test: sums").number("values", self.0 as u64);
    }

    fn run(&self, b: &mut B) -> Result<(), B::Error> {
        let values = Prove::<F61>::secret(b, self.0, &mut |_| Ok(vec![F61::new(5); self.0]))?;
        let squares = Ops::<F61>::mul_many(b, &values, &values)?;
        let bits = b.to_bits(&squares, 10)?;
        let products = Ops::<F2>::mul_many(b, &bits, &bits)?;
        let wrong: Vec<_> = products.iter().zip(&bits).map(|(z, x)| Ops::<F2>::add(b, z, x)).collect();
        Prove::<F2>::assert_zero(b, &wrong)?;
        field_gadgets::assert_in_range::<F61, B>(b, &values, 4)
    }
}

fn together() -> Cases {
    vec![
        case("few", Mixed::<F61, F61x2>::new(), Sums(3), Sums(3)),
        case("many", Mixed::<F61, F61x2>::new(), Sums(400), Sums(400)),
    ]
}

#[test]
fn of_bits_and_elements_together() {
    in_turn(together());
}

/// What a rehearsal is told of a witness makes no difference, and a false claim stops none.
#[test]
fn of_a_prover_that_has_a_witness_too_and_of_a_false_claim() {
    let options = Options::default();
    let of = |any: &AnyOf<F2, AndChain>| figures(&estimate(options, Bits, any).expect("rehearsed"));
    assert_eq!(of(&any_of(&[100, 3000], Some(0))), of(&any_of(&[100, 3000], None)));
    let product = |witness| Product { result: true, witness: Some([true, witness]) };
    let of = |product| figures(&estimate(options, Bits, &product).expect("rehearsed"));
    assert_eq!(of(product(true)), of(product(false)));
}
