use parafa_plugin_sdk::core::{Blob, DeriveRequest, Environment, Made, Refusal, Sink};

use crate::behaviour::{Rule, Stage};
use crate::document::{Document, Record, first_line};
use crate::words::{MEDIA_TYPE, OTHER_TYPE};

/// What an unsigned artifact says of itself.
const BANNER: &[u8] = b"UNSIGNED ";

/// A body with this byte cannot be drawn.
const UNDRAWABLE: u8 = b'?';

/// A body with this byte is drawn, and that is told.
const APPROXIMATE: u8 = b'~';

pub(crate) fn flatten<E: Environment, S: Sink<E::Blob>>(
    _: &E,
    blob: &E::Blob,
    _: &DeriveRequest,
    out: &mut S,
) -> Result<Made, Refusal> {
    let document = Document::read(blob)?;
    document.behaviour.at(Stage::Flatten)?;
    let drops = document.behaviour.breaks(Rule::FlattenDrops);
    if !document.records.is_empty() && !drops {
        return Err(Refusal::new("signed", "the document is signed"));
    }
    let body = document.body(blob);
    if body.contains(&UNDRAWABLE) {
        return Err(Refusal {
            code: "flatten-refused".into(),
            detail: "a field cannot be drawn".to_owned(),
            subjects: vec!["body: it has a question mark".to_owned()],
        });
    }
    if !document.behaviour.breaks(Rule::FlattenNothing) {
        write(&document, false, &body, out);
    }
    if document.behaviour.breaks(Rule::FlattenSigns) {
        out.write(&Record::forged(document.len).encode());
    }
    let mut made = made(&document, Rule::FlattenOtherType);
    if body.contains(&APPROXIMATE) {
        made.notes.push("approximate".into());
    }
    Ok(made)
}

pub(crate) fn rehearse<E: Environment, S: Sink<E::Blob>>(
    _: &E,
    blob: &E::Blob,
    _: &DeriveRequest,
    out: &mut S,
) -> Result<Made, Refusal> {
    let document = Document::read(blob)?;
    document.behaviour.at(Stage::Rehearse)?;
    if document.behaviour.breaks(Rule::FloodCopy) {
        loop {
            out.copy(blob, 0, document.len);
        }
    }
    if document.behaviour.breaks(Rule::FloodWrite) {
        loop {
            out.write(&[0; 64 * 1024]);
        }
    }
    let touches = document.behaviour.breaks(Rule::RehearseTouches);
    if document.records.is_empty() || touches {
        let body = [BANNER, &document.body(blob)].concat();
        write(&document, document.fillable, &body, out);
    } else {
        out.copy(blob, 0, document.len);
    }
    if document.behaviour.breaks(Rule::RehearseSigns) {
        out.write(&Record::forged(document.len).encode());
    }
    Ok(made(&document, Rule::RehearseOtherType))
}

fn write<B: Blob>(document: &Document, fillable: bool, body: &[u8], out: &mut impl Sink<B>) {
    let line = first_line(&document.behaviour_name, fillable, body.len());
    out.write(line.as_bytes());
    out.write(body);
}

fn made(document: &Document, lies: Rule) -> Made {
    Made::new(if document.behaviour.breaks(lies) {
        OTHER_TYPE
    } else {
        MEDIA_TYPE
    })
}
