use serde_json::json;
use url::Url;

use super::{
    calls::Calls,
    known_world::KnownWorld,
    outcome::{CommandError, Told},
};

/// Arguments of `demo scan`.
#[derive(Debug, clap::Args)]
pub struct ScanArguments {
    /// The device link, as the code to scan holds it.
    #[arg(value_name = "DEVICELINK")]
    link: String,
    /// The id of the persona whose phone scans it.
    #[arg(long = "as", value_name = "PERSONA")]
    persona: String,
}

impl ScanArguments {
    pub(super) async fn run(&self, world: KnownWorld<'_>) -> Result<Told, CommandError> {
        let persona = world.persona(&self.persona, "Smart-ID", |one| {
            one.document_number.is_some()
        })?;
        let link = Url::parse(&self.link).ok();
        let kind = link.as_ref().and_then(|link| {
            let mut pairs = link.query_pairs();
            pairs.find_map(|(name, value)| (name == "deviceLinkType").then(|| value.into_owned()))
        });
        let kind = kind.ok_or_else(|| {
            CommandError::Refused(
                "the link is not a device link: it has no deviceLinkType".to_owned(),
            )
        })?;
        let address = format!("{}/mock/device-link", world.addresses.smart_id);
        let body = json!({
            "documentNumber": persona.document_number,
            "deviceLink": self.link,
            "flowType": kind,
        });
        let (status, answer) = Calls::new()?.call(&address, &[], Some(&body)).await?;
        if !status.is_success() {
            return Err(CommandError::Refused(format!(
                "the phone refuses the link: {status} {answer}"
            )));
        }
        Ok(Told {
            value: json!({"persona": self.persona, "flowType": kind}),
            line: format!("{} has followed the link", self.persona),
        })
    }
}
