use std::time::Duration;

use anyhow::Context;
use bytes::Bytes;
use http::{Request, header};
use parafa_http_port::{ExchangeLimits, HttpPort};
use parafa_outbound::{AddressPolicy, HostPort, OutboundClient, Reach, ServerTrust};
use serde_json::{Value, json};
use url::Url;

use crate::cli::{CommandError, Location, print_json, print_line};
use crate::demo::DemoFile;

/// What the phone's answer may take and hold.
const LIMITS: ExchangeLimits = ExchangeLimits {
    timeout: Duration::from_secs(30),
    max_response_bytes: 64 * 1024,
};

/// Arguments of `parafa demo scan`.
#[derive(Debug, clap::Args)]
pub(super) struct ScanArguments {
    /// The device link, as the code to scan holds it.
    #[arg(value_name = "DEVICELINK")]
    link: String,
    /// Whose phone scans it: a persona's id.
    #[arg(long = "as", value_name = "PERSONA")]
    persona: String,
    #[command(flatten)]
    place: Location,
    /// Answer in JSON.
    #[arg(long)]
    json: bool,
}

/// Has a persona's phone follow a device link.
pub(super) fn scan(arguments: &ScanArguments) -> Result<(), CommandError> {
    let config = arguments.place.load()?;
    let file = DemoFile::read(&DemoFile::path(&config.store.data))
        .map_err(|error| CommandError::Refused(error.to_string()))?;
    let personas = file.world.personas();
    let persona = personas.iter().find(|known| known.id == arguments.persona);
    let document = persona.and_then(|persona| persona.document_number.as_ref());
    let document = document.ok_or_else(|| {
        let known = personas.iter().filter(|one| one.document_number.is_some());
        let known: Vec<&str> = known.map(|one| one.id.as_str()).collect();
        CommandError::Refused(format!(
            "{} is no persona with Smart-ID; those are {}",
            arguments.persona,
            known.join(", ")
        ))
    })?;
    let link = Url::parse(&arguments.link).ok();
    let kind = link.as_ref().and_then(|link| {
        let mut pairs = link.query_pairs();
        pairs.find_map(|(name, value)| (name == "deviceLinkType").then(|| value.into_owned()))
    });
    let kind = kind.ok_or_else(|| {
        CommandError::Refused("the link is no device link: it has no deviceLinkType".to_owned())
    })?;
    let body = json!({
        "documentNumber": document,
        "deviceLink": arguments.link,
        "flowType": kind,
    });
    let runtime = tokio::runtime::Runtime::new().context("the runtime does not start")?;
    runtime.block_on(post(&file.world.addresses.smart_id, &body))?;
    if arguments.json {
        print_json(&json!({"persona": arguments.persona, "flowType": kind}))?;
    } else {
        print_line(format_args!("{} has followed the link", arguments.persona))?;
    }
    Ok(())
}

async fn post(smart_id: &str, body: &Value) -> Result<(), CommandError> {
    // Nothing else of this process has chosen one.
    let _ = rustls::crypto::aws_lc_rs::default_provider().install_default();
    let address = format!("{smart_id}/mock/device-link");
    let url = Url::parse(&address).context("the world's address")?;
    let listed = HostPort::of(&url).into_iter().collect();
    let policy = AddressPolicy::new(listed, Reach::ListedOnly);
    let client = OutboundClient::new(policy, &ServerTrust::default()).context("the client")?;
    let request = Request::post(&address)
        .header(header::CONTENT_TYPE, "application/json")
        .body(Bytes::from(body.to_string()))
        .context("the request")?;
    let answer = client.exchange(request, LIMITS).await;
    let answer = answer.map_err(|error| CommandError::Refused(error.to_string()))?;
    if answer.status().is_success() {
        return Ok(());
    }
    Err(CommandError::Refused(format!(
        "the phone refuses the link: {} {}",
        answer.status(),
        String::from_utf8_lossy(answer.body()).trim()
    )))
}
