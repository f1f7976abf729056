//! `compose`.

use parafa_plugin_sdk::core::{Blob, ComposeRequest, Environment, Made, Refusal, Sink, SourceFile};

use crate::behaviour::{Behaviour, Rule, Stage};
use crate::toy::first_line;

/// The request's parameter with the behaviour, both of this call and of the new document.
const BEHAVIOUR: &str = "behaviour";

/// Makes a document whose body is the files.
pub fn compose<E: Environment, S: Sink<E::Blob>>(
    _: &E,
    files: &[SourceFile<'_, E::Blob>],
    request: &ComposeRequest,
    out: &mut S,
) -> Result<Made, Refusal> {
    let name = request
        .params
        .iter()
        .find(|(name, _)| name == BEHAVIOUR)
        .map_or("honest", |(_, value)| value);
    let behaviour = Behaviour::parse(name)
        .ok_or_else(|| Refusal::new("bad-request", "there is no such behaviour"))?;
    behaviour.at(Stage::Compose)?;
    match behaviour {
        Behaviour::Breaks(Rule::ComposeGarbage) => {
            out.write(b"garbage");
            return Ok(Made::new(&request.media_type));
        }
        Behaviour::Breaks(Rule::ComposeNothing) => return Ok(Made::new(&request.media_type)),
        _ => {}
    }
    let heading = |file: &SourceFile<'_, E::Blob>| {
        format!("[{} {} {}]", file.name, file.media_type, file.content.len())
    };
    let body_len = |file| heading(file).len() + usize::try_from(file.content.len()).unwrap_or(0);
    let len = files.iter().map(body_len).sum();
    out.write(first_line(name, true, len).as_bytes());
    for file in files {
        out.write(heading(file).as_bytes());
        out.copy(file.content, 0, file.content.len());
    }
    Ok(Made::new(if behaviour.breaks(Rule::ComposeOtherType) {
        "application/pdf"
    } else {
        request.media_type.as_str()
    }))
}
