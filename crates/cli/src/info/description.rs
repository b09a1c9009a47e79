//! Descriptions of statements in words.

use volery_statement::describe::{BitInfo, Claims, Description, FieldInfo, ProgramInfo, RingInfo, RingValue};

use crate::output::{bytes, count, counted};

/// The statement's name and its figures, one a line.
pub(super) fn text(description: &Description) -> String {
    match description {
        Description::Bits(info) => bits(info),
        Description::Field(info) => field(info),
        Description::Ring(info) => ring(info),
        Description::Program(info) => program(info),
        // The library may know more kinds.
        _ => "a statement of a kind that this program cannot describe; --json can".to_owned(),
    }
}

/// Of a statement about bits.
fn bits(info: &BitInfo) -> String {
    let mut lines = vec![info.statement.clone(), String::new()];
    let mut line = |name: &str, value: String| lines.push(format!("{name:<14}{value}"));
    for value in &info.inputs {
        let kind = if value.public { "public" } else { "secret" };
        line("input", format!("{}, {}, {kind}", value.name, counted(value.bits.into(), "bit")));
    }
    for value in &info.outputs {
        line("output", format!("{}, {}", value.name, counted(value.bits.into(), "bit")));
    }
    line("secret bits", count(info.secret_bits));
    line("ANDs", count(info.ands));
    line("XORs", count(info.xors));
    line("NOTs", count(info.nots));
    line("assertions", count(info.assertions));
    if info.polynomials > 0 {
        let polynomials = count(info.polynomials);
        line("polynomials", format!("{polynomials} of degree {} or less", info.polynomial_degree));
    }
    line("depth", counted(info.depth.into(), "AND"));
    lines.join("\n")
}

/// Of one over a field.
fn field(info: &FieldInfo) -> String {
    let mut lines = vec![info.statement.clone(), String::new()];
    let mut line = |name: &str, value: String| lines.push(format!("{name:<16}{value}"));
    line("field", info.field.to_owned());
    line("secret values", count(info.secrets));
    line("multiplications", count(info.multiplications));
    for Claims { degree, count: number } in &info.polynomials {
        line("polynomials", format!("{} of degree {degree}", count(*number)));
    }
    line("linear claims", count(info.linear));
    if info.matrix_products > 0 {
        line("matrix products", format!("{}, each folded to one polynomial", info.matrix_products));
    }
    lines.join("\n")
}

/// Of a circuit over machine words.
fn ring(info: &RingInfo) -> String {
    let mut lines = vec![info.statement.clone(), String::new()];
    let mut line = |name: &str, value: String| lines.push(format!("{name:<16}{value}"));
    for RingValue { name, elements, public } in &info.inputs {
        let kind = if *public { "public" } else { "secret" };
        line("input", format!("{name}, {}, {kind}", counted((*elements).into(), "element")));
    }
    for RingValue { name, elements, .. } in &info.outputs {
        line("output", format!("{name}, {}", counted((*elements).into(), "element")));
    }
    line("ring", info.ring.to_owned());
    line("secrets", count(info.secrets));
    line("multiplications", count(info.multiplications));
    line("additions", count(info.additions));
    line("with constants", count(info.affine));
    line("assertions", count(info.assertions));
    line("depth", counted(info.depth.into(), "multiplication"));
    lines.join("\n")
}

/// Of a program's run.
fn program(info: &ProgramInfo) -> String {
    let mut lines = vec![info.statement.clone(), String::new()];
    // The longest name is that of a kind of rows.
    let mut line = |name: &str, value: String| lines.push(format!("{name:<25}{value}"));
    if let Some(program) = &info.program {
        line("entry", format!("{:#010x}", program.entry));
        line("code", counted(program.text_words as u64, "word"));
        line("memory", bytes(program.memory_bytes));
    }
    if let Some([code, data]) = info.secret_program_words {
        line("shows: most code", counted(code.into(), "word"));
        line("shows: most data", counted(data.into(), "word"));
    }
    match &info.run {
        None => line("proof", "depends on the run: give --witness".to_owned()),
        Some(run) => {
            line("journal", bytes(run.journal_bytes as u64));
            line("shows: segments", count(run.segments as u64));
            line("shows: touched words", count(run.touched_words));
            line("shows: new words", count(run.new_words));
            for (kind, rows) in &run.rows {
                line(&format!("shows: {kind}"), count(*rows));
            }
        }
    }
    lines.join("\n")
}
