//! V's pass.

use std::io::Read;
use std::sync::Arc;

use volery_circuit::Statement;
use volery_field::Gf128;
use volery_vole::Delta;
use volery_vole::correlations::Pool;
use volery_zk::quicksilver::{Challenges, bits};

use super::{
    Demands, Proved, absorb_answers, claims_something, identity, key_of, resolve, selected, start, too_long,
    work,
};
use crate::columns::Trees;
use crate::commitment;
use crate::files::Player;
use crate::generator::{Blocks, Generator, Kept, Part};
use crate::header::{Front, Header};
use crate::{Error, Native};

/// Reads a proof of `statement` from `input` and checks it. Only `Ok` means that the statement is proved.
///
/// # Errors
/// [`Error::is_rejection`] if the proof is wrong; [`Error::OtherStatement`], [`Error::Mismatch`],
/// [`Error::Message`] or [`Error::Soundness`] if it is another proof than expected; [`Error::Malformed`],
/// [`Error::Version`], [`Error::Io`] if the bytes are none.
pub fn verify<S>(statement: &S, demands: &Demands, input: &mut dyn Read) -> Result<Proved, Error>
where
    S: for<'a> Statement<bits::Verifier<'a>> + ?Sized,
{
    let header = Header::read(input)?;
    suits(&header, identity::<bits::Verifier<'_>>(statement), demands)?;
    let parameters = header.parameters;
    let too_many = || Error::malformed("the number of commitments", "no file has so many");
    let (shape, blocks) = (parameters.shape(), Blocks(header.rows().ok_or_else(too_many)?));
    let front = Front::read(parameters, input)?;
    let primitive = Native::new(&header.salt, shape.trees());
    let hidden = shape.pieces(front.key);
    let trees = commitment::reconstruct(&primitive, shape, &hidden, &front.opening)?;
    let mut transcript = start(&header, demands.message.as_ref(), &trees.root);
    let trees = Arc::new(Trees::new(primitive, shape, trees.seeds, Some(hidden), blocks.are_one()));
    // Everybody knows this key: what must stay secret from P elsewhere is drawn after P has answered.
    let delta = Delta::from_element(Gf128::from_bits(front.key << 1));

    let (columns, relations) = selected(front.columns);
    let (threads, part) = (demands.threads.clone(), Part::Verify(delta.expose().to_bits()));
    let generator = Generator::new(trees, part, blocks, Some(columns), Kept::default(), threads);
    let mut pool = Pool::new(Box::new(generator));
    let mut file = Player::new(input, &mut transcript, shape.trees() - 1, header.commitments);
    let threads = demands.threads.as_deref();
    let mut run = |file: &mut Player<'_>| {
        let challenges = Challenges::Known(relations);
        let verifier = bits::Verifier::new(bits::Settings::LAN, challenges, &delta, &mut pool, file, threads);
        let tally = verifier.verify(statement)?;
        pool.settle(file)?;
        Ok(tally)
    };
    let result = run(&mut file);
    let tally = resolve(result, file.fault.take())?;
    let counts = [
        ("the number of commitments", header.commitments, tally.commitments()),
        ("the greatest degree", header.degree.into(), tally.degree.max(2) as u64),
    ];
    if let Some((what, proof, expected)) = counts.into_iter().find(|(_, proof, expected)| proof != expected) {
        return Err(Error::mismatch(what, proof, expected));
    }
    claims_something(&tally)?;
    if !file.at_end()? {
        return Err(Error::malformed("its end", "something was appended"));
    }
    let Player { program, opening, assertions, columns, .. } = file;

    transcript.absorb("program", &program);
    let seed = transcript.challenge_seed("columns and relations").into_bytes();
    if work(&seed, front.columns_counter, parameters.column_grinding(tally.branches)) != Some(front.columns) {
        return Err(Error::Challenge("columns and relations"));
    }
    absorb_answers(&mut transcript, &front.columns, &columns, &opening, &assertions);
    let seed = transcript.challenge_seed("key").into_bytes();
    let hash = work(&seed, front.key_counter, parameters.key_grinding(header.degree.into()));
    if hash.map(|hash| key_of(shape, &hash)) != Some(front.key) {
        return Err(Error::Challenge("the key"));
    }
    let bytes = crate::proof_bytes(parameters, header.commitments, header.degree).ok_or_else(too_long)?;
    Ok(Proved { parameters, tally, bytes })
}

/// Checks that a proof with this header is the one that the verifier wants.
fn suits(header: &Header, statement: [u8; 32], demands: &Demands) -> Result<(), Error> {
    if header.statement != statement {
        return Err(Error::OtherStatement { proof: header.statement, expected: statement });
    }
    let sigma = header.parameters.sigma();
    if sigma < demands.sigma {
        return Err(Error::Soundness { proof: sigma, demanded: demands.sigma });
    }
    if header.bound != demands.message.is_some() {
        return Err(Error::Message { bound: header.bound });
    }
    Ok(())
}
