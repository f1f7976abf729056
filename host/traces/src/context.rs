//! Trace contexts: W3C Trace Context.

use std::fmt;
use std::str::FromStr;

/// The version of `traceparent` that is written here.
const VERSION: u8 = 0;
/// The invalid version.
const NO_VERSION: u8 = 0xff;
/// The flag of `traceparent` of a trace that is recorded.
const SAMPLED: u8 = 1;

/// A span of a trace, as `traceparent` names it.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct TraceContext {
    pub(crate) trace: [u8; 16],
    pub(crate) span: [u8; 8],
    pub(crate) is_sampled: bool,
}

/// A text is no `traceparent`.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[error(
    "this is no traceparent: it has a version, two ids that are not zero, and flags, in lower-case hexadecimal digits"
)]
pub struct MalformedTraceContext;

impl TraceContext {
    /// A new span of a trace, or of a new trace. `None` if the operating system gives no random
    /// bytes.
    pub(crate) fn drawn(trace: Option<[u8; 16]>) -> Option<Self> {
        let (mut new_trace, mut span) = ([0; 16], [0; 8]);
        getrandom::fill(&mut span).ok()?;
        if trace.is_none() {
            getrandom::fill(&mut new_trace).ok()?;
        }
        let context = Self {
            trace: trace.unwrap_or(new_trace),
            span,
            is_sampled: true,
        };
        context.has_ids().then_some(context)
    }

    /// Returns true if a trace that begins here is in this share of all. The decision depends on
    /// the id alone, so that others who sample by it decide alike.
    pub(crate) fn is_among(&self, share: f64) -> bool {
        let [.., a, b, c, d] = self.trace;
        let drawn = u32::from_be_bytes([a, b, c, d]);
        f64::from(drawn) < share * (f64::from(u32::MAX) + 1.0)
    }

    fn has_ids(&self) -> bool {
        self.trace != [0; 16] && self.span != [0; 8]
    }
}

impl FromStr for TraceContext {
    type Err = MalformedTraceContext;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut parts = text.split('-');
        let mut next = || parts.next().ok_or(MalformedTraceContext);
        let [version] = bytes::<1>(next()?)?;
        let (trace, span) = (bytes::<16>(next()?)?, bytes::<8>(next()?)?);
        let [flags] = bytes::<1>(next()?)?;
        // Later versions may append fields to the common ones.
        let has_more = parts.next().is_some();
        let context = Self {
            trace,
            span,
            is_sampled: flags & SAMPLED != 0,
        };
        if version == NO_VERSION || (version == VERSION && has_more) || !context.has_ids() {
            return Err(MalformedTraceContext);
        }
        Ok(context)
    }
}

impl fmt::Display for TraceContext {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (trace, span) = (hex::encode(self.trace), hex::encode(self.span));
        let flags = u8::from(self.is_sampled) * SAMPLED;
        write!(formatter, "{VERSION:02x}-{trace}-{span}-{flags:02x}")
    }
}

fn bytes<const N: usize>(text: &str) -> Result<[u8; N], MalformedTraceContext> {
    let mut bytes = [0; N];
    let is_lower = !text.bytes().any(|byte| byte.is_ascii_uppercase());
    match hex::decode_to_slice(text, &mut bytes) {
        Ok(()) if is_lower => Ok(bytes),
        _ => Err(MalformedTraceContext),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
    const SPAN: &str = "00f067aa0ba902b7";

    #[test]
    fn what_callers_send_is_read_and_written_as_it_came() {
        for (flags, is_sampled) in [("00", false), ("01", true)] {
            let text = format!("00-{TRACE}-{SPAN}-{flags}");
            let context: TraceContext = text.parse().unwrap();
            assert_eq!(context.is_sampled, is_sampled);
            assert_eq!(context.to_string(), text);
        }
        let later: TraceContext = format!("cc-{TRACE}-{SPAN}-03-more").parse().unwrap();
        assert_eq!(later.to_string(), format!("00-{TRACE}-{SPAN}-01"));
    }

    #[test]
    fn what_names_no_span_is_refused() {
        for text in [
            String::new(),
            format!("00-{TRACE}-{SPAN}"),
            format!("00-{TRACE}-{SPAN}-01-more"),
            format!("ff-{TRACE}-{SPAN}-01"),
            format!("00-{}-{SPAN}-01", TRACE.to_uppercase()),
            format!("00-{}-{SPAN}-01", "0".repeat(32)),
            format!("00-{TRACE}-{}-01", "0".repeat(16)),
            format!("00-{TRACE}-{SPAN}0-01"),
            format!("00-{TRACE}ą-{SPAN}-01"),
        ] {
            assert_eq!(
                text.parse::<TraceContext>(),
                Err(MalformedTraceContext),
                "{text}"
            );
        }
    }

    #[test]
    fn a_share_of_traces_is_recorded_by_their_ids() {
        let ending = |end: [u8; 4]| {
            let mut trace = [7; 16];
            trace[12..].copy_from_slice(&end);
            TraceContext::drawn(Some(trace)).unwrap()
        };
        let [first, middle, last] = [[0; 4], [0x80, 0, 0, 0], [0xff; 4]].map(ending);

        for context in [first, middle, last] {
            assert!(context.is_among(1.0) && !context.is_among(0.0));
        }
        assert!(first.is_among(0.5) && !middle.is_among(0.5) && !last.is_among(0.999));
    }
}
