//! `flatten` and `rehearse`.

use parafa_plugin_sdk::core::{Blob, DeriveRequest, Environment, Made, Refusal, Sink};

use crate::behaviour::{Rule, Stage};
use crate::toy::{Toy, first_line, forged, read};
use crate::{MEDIA_TYPE, OTHER_TYPE};

/// The banner of an unsigned artifact.
const BANNER: &[u8] = b"UNSIGNED ";

/// A body with this byte cannot be drawn.
const UNDRAWABLE: u8 = b'?';

/// A body with this byte is drawn with a note.
const APPROXIMATE: u8 = b'~';

/// Makes the body read-only.
pub fn flatten<E: Environment, S: Sink<E::Blob>>(
    environment: &E,
    blob: &E::Blob,
    _: &DeriveRequest,
    out: &mut S,
) -> Result<Made, Refusal> {
    let toy = Toy::read(blob)?;
    toy.behaviour.at(Stage::Flatten)?;
    let drops = toy.breaks(Rule::FlattenDrops);
    if toy.is_signed() && !drops {
        return Err(Refusal::new("signed", "the document is signed"));
    }
    let body = read(blob, &toy.body);
    if body.contains(&UNDRAWABLE) {
        return Err(Refusal {
            code: "flatten-refused".into(),
            detail: "a field cannot be drawn".to_owned(),
            subjects: vec!["body: it has a question mark".to_owned()],
        });
    }
    if !toy.breaks(Rule::FlattenNothing) {
        write(&toy, false, &body, out);
    }
    if toy.breaks(Rule::FlattenSigns) {
        out.write(&forged(&toy.text(environment, blob)?)?);
    }
    let mut made = made(&toy, Rule::FlattenOtherType);
    if body.contains(&APPROXIMATE) {
        made.notes.push("approximate".into());
    }
    Ok(made)
}

/// Makes an unsigned document with a banner.
pub fn rehearse<E: Environment, S: Sink<E::Blob>>(
    environment: &E,
    blob: &E::Blob,
    _: &DeriveRequest,
    out: &mut S,
) -> Result<Made, Refusal> {
    let toy = Toy::read(blob)?;
    toy.behaviour.at(Stage::Rehearse)?;
    if toy.breaks(Rule::FloodCopy) {
        loop {
            out.copy(blob, 0, toy.len);
        }
    }
    if toy.breaks(Rule::FloodWrite) {
        loop {
            out.write(&[0; 64 * 1024]);
        }
    }
    let touches = toy.breaks(Rule::RehearseTouches);
    if !toy.is_signed() || touches {
        let body = [BANNER, &read(blob, &toy.body)].concat();
        write(&toy, toy.fillable, &body, out);
    } else {
        out.copy(blob, 0, toy.len);
    }
    if toy.breaks(Rule::RehearseSigns) {
        out.write(&forged(&toy.text(environment, blob)?)?);
    }
    Ok(made(&toy, Rule::RehearseOtherType))
}

fn write<B: Blob>(toy: &Toy, fillable: bool, body: &[u8], out: &mut impl Sink<B>) {
    let line = first_line(&toy.behaviour_name, fillable, body.len());
    out.write(line.as_bytes());
    out.write(body);
}

fn made(toy: &Toy, lies: Rule) -> Made {
    Made::new(if toy.breaks(lies) {
        OTHER_TYPE
    } else {
        MEDIA_TYPE
    })
}
