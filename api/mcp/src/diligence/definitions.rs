//! The tools: the description of each for models, and its call of the API.

use std::sync::Arc;

use parafa_api_http::AgentTool;
use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::{Map, Value, json};

use super::ToolsError;
use super::pages::{HIGHEST_LIMIT, USUAL_LIMIT};
use crate::description::{answer_schema, input_schema};

pub(super) const PURPOSES: [&str; 5] = [
    "AML_KYC",
    "BUSINESS_RELATIONSHIP_DD",
    "TRANSACTION_DD",
    "LEGAL_CLAIM",
    "OTHER",
];

/// Arguments of a tool, which decide the call of the API.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Takes {
    /// The code of an entity.
    Entity(Entity),
    /// The body of the API's call.
    Body,
    /// The id of an order.
    Order,
}

/// Arguments of a tool about an entity, beside the code and the page.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct Entity {
    pub(super) purpose: bool,
    pub(super) interpretation: bool,
    pub(super) bods: bool,
}

/// One tool, and the path of its API call.
pub(super) struct Definition {
    pub(super) name: &'static str,
    title: &'static str,
    pub(super) path: &'static str,
    pub(super) takes: Takes,
    description: &'static str,
}

const PLAIN: Entity = Entity {
    purpose: false,
    interpretation: false,
    bods: false,
};

pub(super) const DEFINITIONS: [Definition; 9] = [
    Definition {
        name: "lookup_company",
        title: "Company profile",
        path: "/v1/entities/{code}",
        takes: Takes::Entity(Entity {
            interpretation: true,
            ..PLAIN
        }),
        description: "A Lithuanian legal entity in the Register of Legal Entities (JAR): name, legal form and status, seat, capital, VAT number, activities, management bodies with their present members, rule of representation, branches, restrictions. Takes a nine-digit code; there is no search by name. 0.30 euro a call. Begin here to identify the entity of a code; get_participants and get_beneficial_owners then show who is behind it.",
    },
    Definition {
        name: "get_participants",
        title: "Shareholders and members",
        path: "/v1/entities/{code}/participants",
        takes: Takes::Entity(Entity {
            bods: true,
            ..PLAIN
        }),
        description: "All shareholders or members on the last list that a Lithuanian legal entity filed (JADIS), with their shares, votes and dates. 0.65 euro a call. A participant that is a Lithuanian entity has its code in identifiers: call again with that to go up the chain. Ultimate control is in get_beneficial_owners.",
    },
    Definition {
        name: "get_beneficial_owners",
        title: "Beneficial owners",
        path: "/v1/entities/{code}/ubo",
        takes: Takes::Entity(Entity {
            purpose: true,
            interpretation: true,
            bods: true,
        }),
        description: "All persons whom a Lithuanian legal entity has declared as its ultimate owners or controllers (JANGIS), how they own or control it, and through which entities. Read status first: the entity may have declared nobody, or be exempt. 0.15 euro a call. The purpose is logged. Compare with get_participants.",
    },
    Definition {
        name: "get_real_estate",
        title: "Real property held",
        path: "/v1/entities/{code}/real-estate",
        takes: Takes::Entity(PLAIN),
        description: "All real-property objects in which a Lithuanian legal entity holds rights now (NTR): unique number, address, share, whether mortgaged or seized. 0.35 euro a call. The acts behind a seizure are in get_seizures; owners and mortgages of one object are in its extract, which only the HTTP API has.",
    },
    Definition {
        name: "get_seizures",
        title: "Property seizure acts",
        path: "/v1/entities/{code}/seizures",
        takes: Takes::Entity(Entity {
            interpretation: true,
            ..PLAIN
        }),
        description: "All registered acts of property seizure that name a Lithuanian legal entity (TAAR), as debtor, owner or creditor, removed ones too: an act is in force where deregisteredOn is null and role says what the entity is in it. 0.70 euro a call. The dispute behind an act may be in get_court_cases.",
    },
    Definition {
        name: "get_court_cases",
        title: "Court cases",
        path: "/v1/entities/{code}/cases",
        takes: Takes::Entity(PLAIN),
        description: "All court cases in which a Lithuanian legal entity takes part (LITEKO), in any role, ended ones too, the newest first: a case goes on where closedOn is null. 0.10 euro a call. Money that a court secured is in get_seizures.",
    },
    Definition {
        name: "get_due_diligence_report",
        title: "Full due-diligence report",
        path: "/v1/entities/{code}/dd-report",
        takes: Takes::Entity(Entity {
            purpose: true,
            interpretation: true,
            bods: true,
        }),
        description: "The answers of the six tools above about a Lithuanian legal entity in one, with a section for each register; a register that holds nothing is a section with status no-data. There is no score. 1.29 euro a call, less than the six together. If a register does not answer, the call fails free of charge: then use the single tools. The purpose is logged.",
    },
    Definition {
        name: "create_kyc_package",
        title: "Order an identification package",
        path: "/v1/kyc-packages",
        takes: Takes::Body,
        description: "Orders an identification package: a person proves a role in a Lithuanian legal entity by signing with their own qualified signature at the ceremonyUrl of the answer, within 14 days. Give that link to the person, keep orderId, and ask get_kyc_package from time to time. 24.99 euro once it is delivered, 14.99 for a person and an entity that were identified before; nothing if it ends otherwise. Every call is a new order.",
    },
    Definition {
        name: "get_kyc_package",
        title: "Check an identification package",
        path: "/v1/kyc-packages/{orderId}",
        takes: Takes::Order,
        description: "The state of an order of create_kyc_package: its status, why it was refused, the ceremonyUrl while it waits, and the price once it is delivered. Free of charge. Once status is delivered, the signed container is downloaded over the HTTP API: GET /v1/kyc-packages/{orderId}/artifact.",
    },
];

/// The tools as documented for people.
#[must_use]
pub fn described_tools() -> Vec<AgentTool> {
    let tools = DEFINITIONS.iter().map(|tool| AgentTool {
        name: tool.name,
        title: tool.title,
        description: tool.description,
    });
    tools.collect()
}

impl Definition {
    /// The tool, with the schema of its answer out of the API's description.
    pub(super) fn described(&self, description: &Value) -> Result<Tool, ToolsError> {
        let method = match self.takes {
            Takes::Body => "post",
            Takes::Entity(_) | Takes::Order => "get",
        };
        let operation = &description["paths"][self.path][method];
        let missing = || ToolsError::NotDescribed(self.path);
        let is_about_entity = matches!(self.takes, Takes::Entity(_));
        let page = is_about_entity.then(page_schema);
        let output = answer_schema(description, operation, page).ok_or_else(missing)?;
        let input = match self.takes {
            Takes::Body => input_schema(description, operation).ok_or_else(missing)?,
            Takes::Entity(takes) => entity_schema(takes),
            Takes::Order => order_schema(),
        };
        let reads = self.takes != Takes::Body;
        let annotations = ToolAnnotations::new()
            .read_only(reads)
            .destructive(false)
            .idempotent(reads)
            .open_world(true);
        Ok(Tool::new(self.name, self.description, input)
            .with_title(self.title)
            .with_raw_output_schema(Arc::new(output))
            .with_annotations(annotations))
    }
}

fn entity_schema(takes: Entity) -> JsonObject {
    let flag = |description: &str| json!({"type": "boolean", "description": description});
    let mut properties = Map::new();
    let mut required = vec!["entityCode"];
    properties.insert("entityCode".to_owned(), json!({
        "type": "string",
        "pattern": "^[0-9]{9}$",
        "description": "Code of the legal entity (juridinio asmens kodas): nine digits, the last a check digit.",
    }));
    if takes.purpose {
        properties.insert(
            "purpose".to_owned(),
            json!({
                "type": "string",
                "enum": PURPOSES,
                "description": "The purpose of the call; it is logged.",
            }),
        );
        required.push("purpose");
    }
    if takes.interpretation {
        let interpret = "Adds the meaning of the data under Lithuanian law, for 0.29 euro more; for sandbox keys only until a lawyer has reviewed it. Default: false.";
        properties.insert("interpret".to_owned(), flag(interpret));
    }
    if takes.bods {
        let bods = "Adds the same data as statements of the Beneficial Ownership Data Standard 0.4, several times as long. Default: false.";
        properties.insert("bods".to_owned(), flag(bods));
    }
    let limit = format!(
        "Maximum number of entries of each list, 1 to {HIGHEST_LIMIT}. Default: {USUAL_LIMIT}."
    );
    let cursor = "page.nextCursor of the previous answer to the same arguments: returns the next entries, free of charge. Leave it out for a new answer.";
    for (name, kind, description) in [
        ("limit", "integer", limit.as_str()),
        ("cursor", "string", cursor),
    ] {
        let schema = json!({"type": kind, "description": description});
        properties.insert(name.to_owned(), schema);
    }
    closed(properties, &required)
}

/// Schema of the page member of an answer with several pages.
fn page_schema() -> Value {
    let whole = json!({"type": "integer"});
    json!({
        "type": "object",
        "description": "Present if lists are longer than a page; pointers of the interpretation count from the first entry of all.",
        "properties": {
            "offset": whole,
            "limit": whole,
            "total": whole,
            "totals": {
                "type": "object",
                "description": "The length of each cut list, by its pointer within data; other lists are complete.",
                "additionalProperties": whole,
            },
            "nextCursor": {"type": ["string", "null"]},
        },
        "required": ["offset", "limit", "total", "totals", "nextCursor"],
    })
}

fn order_schema() -> JsonObject {
    let id = json!({
        "type": "string",
        "description": "orderId of create_kyc_package, a UUID.",
    });
    closed(Map::from_iter([("orderId".to_owned(), id)]), &["orderId"])
}

fn closed(properties: Map<String, Value>, required: &[&str]) -> JsonObject {
    let mut schema = Map::new();
    schema.insert("type".to_owned(), "object".into());
    schema.insert("properties".to_owned(), properties.into());
    schema.insert("required".to_owned(), json!(required));
    schema.insert("additionalProperties".to_owned(), false.into());
    schema
}
