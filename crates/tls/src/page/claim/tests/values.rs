//! A string is values with texts between them if a plain reader divides it so.

use proptest::prelude::*;

use super::*;
use crate::page::disclosure::Values;

fn values(between: &[&str]) -> Values {
    Values { first: String::new(), between: between.iter().map(|text| (*text).to_owned()).collect() }
}

#[test]
fn a_string_is_values_and_the_text_between_them() {
    let between = values(&[r#", "b": "#, "}, [", ","]);
    for text in [
        r#"true, "b": "x"}, [1,null"#,
        r#""", "b": -1.5e-3}, [false,"""#,
        r#""a\"b", "b": 0}, ["}, [",0"#,
        r#"", \"b\": ", "b": ", "}, [1,"\\""#,
    ] {
        assert!(holds(&between, text.as_bytes()), "{text}");
    }
    for text in [
        // Other text, other order, more or fewer values.
        r#"true, "c": "x"}, [1,null"#,
        r#"true,  "b": "x"}, [1,null"#,
        r#"true, "b": "x"}, [1,null,1"#,
        r#"true, "b": "x"}, [1,null "#,
        r#"true, "b": "x"}, [1"#,
        r#"true, "b": "x"}, [1,"#,
        r#", "b": "x"}, [1,null"#,
        // Not values.
        r#"True, "b": "x"}, [1,null"#,
        r#"true, "b": "x"}, [01,null"#,
        r#"true, "b": "x"}, [1.,null"#,
        r#"true, "b": {}}, [1,null"#,
        r#"true, "b": "x}, [1,null"#,
        r#"truefalse, "b": "x"}, [1,null"#,
        r#""x""y", "b": "x"}, [1,null"#,
        "\"\n\", \"b\": \"x\"}, [1,null",
        r#""\", "b": "x"}, [1,null"#,
        r#"true, "b": "x"}, [1,"\""#,
        "",
    ] {
        assert!(!holds(&between, text.as_bytes()), "{text}");
    }
    assert!(matches!(circuit(&between, Class::Values, 15), Err(Error::Contradicted { .. })));
    assert!(circuit(&between, Class::Values, 16).is_ok());
}

/// The lengths of values do not matter, only their sum.
#[test]
fn what_is_hidden_together_has_one_circuit() {
    let between = values(&[","]);
    for text in ["true,null", "1,1234567", "12345,123", r#""","abcd""#, "false,-12"] {
        assert!(holds(&between, text.as_bytes()), "{text}");
    }
}

/// The module's documentation names this price.
#[test]
fn values_take_about_90_ands_a_byte() {
    let names = [r#", "account": "#; 15];
    for (between, length) in [(&names[..1], 60), (&names[..4], 120), (&names[..], 480)] {
        let values = values(between);
        let circuit = circuit(&values, Class::Values, length).unwrap();
        let (most, price) = (90 + between.len() as u64, circuit.multiplications() / length as u64);
        assert!(price <= most, "{price} a byte for {} values", between.len() + 1);
        let gates = circuit.gates().len();
        assert!(gates <= 600 * length, "{gates} gates for {length} bytes");
    }
}

/// A plain reader: the values, if the text is a list of them.
fn is_list(text: &str, count: usize) -> bool {
    let read: Result<Vec<serde_json::Value>, _> = serde_json::from_str(&format!("[{text}]"));
    let plain = |value: &serde_json::Value| !value.is_array() && !value.is_object();
    let compact = !text.contains(' ');
    compact && read.is_ok_and(|values| values.len() == count && values.iter().all(plain))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn a_list_is_what_another_reader_says(
        text in "(true|false|null|-?[01]{1,2}(\\.[01])?(e-?[01])?|\"[a,]{0,3}\"|[,\"0e.-]){1,2}(,(true|\"\"|[01]{1,2}|\"(,|\\\\\\\\){0,2}\")){0,3}",
        count in 1_usize..5
    ) {
        let between = values(&vec![","; count - 1]);
        // That reader does not take numbers that are too large, and there are none.
        prop_assert_eq!(holds(&between, text.as_bytes()), is_list(&text, count), "{} {}", text, count);
    }
}
