//! Answers without register data, and answers completed by a second register.
//! Both have each source, and its raw answer in the container.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;

use reqwest::StatusCode;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tempfile::TempDir;

use super::evidence::extract;
use super::{DiligenceCaller, file};
use crate::agents;
use crate::support::demo::Demo;

/// Paths of published open data about an entity, with their content.
const OPEN_DATA: [(&str, &str); 10] = [
    (
        "iregistruoti/JuridinisAsmuo",
        r#"{"_data":[{"_id":"11111111-1111-4111-8111-111111111111","ja_kodas":188772433,"ja_pavadinimas":"Išgalvota įmonė","reg_data":"1995-03-01","forma":{"_id":"11111111-1111-4111-8111-111111111111"},"statusas":{"_id":"11111111-1111-4111-8111-111111111111"}}]}"#,
    ),
    (
        "/Forma/",
        r#"{"kodas":310,"pavadinimas":"Uždaroji akcinė bendrovė"}"#,
    ),
    (
        "/Statusas/",
        r#"{"kodas":0,"pavadinimas":"Teisinis statusas neįregistruotas"}"#,
    ),
    (
        "/JuridinisAsmuoKapitalas",
        r#"{"_data":[{"data_nuo":"2015-01-01","reiksme":2500.5,"valiuta":"EUR"}]}"#,
    ),
    ("/Buveine", r#"{"_data":[]}"#),
    ("/ValdymoOrganas", r#"{"_data":[{"vadovas":1}]}"#),
    ("/VeluojantisPateikti", r#"{"_data":[]}"#),
    (
        "ja_asmenys/JuridinisAsmuo",
        r#"{"_data":[{"evrk_2_1":{"_id":"11111111-1111-4111-8111-111111111111"}}]}"#,
    ),
    (
        "/EkonominesVeiklosRusis/",
        r#"{"kodas":"62.10","pavadinimas_lt":"Programavimas"}"#,
    ),
    (
        "/MokesciuMoketojas",
        r#"{"_data":[{"pvm_kodas":"999000113","pvm_iregistruota":"1996-01-01"}]}"#,
    ),
];

/// Serves open data on loopback until the tests end; returns its address.
fn open_data() -> String {
    let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a free port");
    let address = listener.local_addr().expect("an address");
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let _ = answer(stream);
        }
    });
    format!("http://{address}/")
}

fn answer(mut stream: TcpStream) -> std::io::Result<()> {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") && stream.read(&mut byte)? == 1 {
        head.extend(byte);
    }
    let head = String::from_utf8_lossy(&head);
    let asked = head.split(' ').nth(1).unwrap_or_default();
    let known = OPEN_DATA.iter().find(|(path, _)| asked.contains(path));
    let (status, body) = known.map_or(("404 Not Found", "{}"), |(_, body)| ("200 OK", body));
    let length = body.len();
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
    )
}

/// Returns the raw answers of a container by name, and its `answer.json`.
fn members(container: &[u8]) -> (Value, BTreeMap<String, Vec<u8>>) {
    let folder = TempDir::new().expect("a folder");
    let path = file(&folder, "answer.asice", container);
    let mut members = extract(&path, &folder);
    let answer = members.remove("answer.json").expect("the answer");
    (serde_json::from_slice(&answer).expect("JSON"), members)
}

fn digest(bytes: &[u8]) -> Value {
    hex::encode(Sha256::digest(bytes)).into()
}

#[tokio::test]
async fn sections_that_hold_nothing_have_their_source_and_their_raw_answer_in_the_container() {
    let demo = Demo::start();
    for caller in [DiligenceCaller::live(&demo), DiligenceCaller::test(&demo)] {
        let report = "/v1/entities/999000088/dd-report?purpose=AML_KYC&interpret=1&format=asice";
        let answered = caller.get(report).await;
        assert_eq!(answered.status, StatusCode::OK);

        let (answer, raw) = members(&answered.body);

        for (number, section, register) in [
            (1, "profile", "jar"),
            (2, "participants", "jadis"),
            (3, "beneficialOwners", "jangis"),
            (4, "realEstate", "ntr"),
            (5, "seizures", "taar"),
            (6, "cases", "liteko"),
        ] {
            let told = &answer["data"]["sections"][section];
            let is_held = ["jar", "jangis"].contains(&register);
            assert_eq!(told["status"], if is_held { "ok" } else { "no-data" });
            assert_eq!(told["source"]["register"], register.to_uppercase());
            assert!(told["retrievedAt"].is_string(), "{told}");
            let raw = &raw[&format!("raw/{number}-{register}.json")];
            assert_eq!(told["source"]["rawSha256"], digest(raw), "{section}");
            let said: Value = serde_json::from_slice(raw).expect("JSON");
            assert!(is_held || said["subject"] == "999000088", "{said}");
        }
        let owners = &answer["data"]["sections"]["beneficialOwners"]["data"];
        assert_eq!(owners["status"], "not_declared");
        assert_eq!(owners["owners"], Value::Null, "nobody knows them");
        let profile = &answer["data"]["sections"]["profile"]["data"];
        assert_eq!(
            profile["restrictions"],
            json!([]),
            "the register denies any"
        );
    }
}

#[tokio::test]
async fn nothing_held_names_register_subject_and_time_and_an_unknown_code_is_told_from_it() {
    let demo = Demo::start();
    for caller in [DiligenceCaller::live(&demo), DiligenceCaller::test(&demo)] {
        for (path, words) in [
            (
                "entities/999000191",
                "JAR (Juridinių asmenų registras) knows no entity 999000191",
            ),
            (
                "entities/999000191/seizures",
                "TAAR (Turto arešto aktų registras) knows no entity 999000191",
            ),
            (
                "entities/999000191/dd-report?purpose=OTHER",
                "JAR (Juridinių asmenų registras) knows no entity 999000191",
            ),
            (
                "entities/999000088/seizures",
                "TAAR (Turto arešto aktų registras) holds nothing of this kind on the entity 999000088",
            ),
            (
                "entities/999000088/cases",
                "LITEKO (Lietuvos teismų informacinė sistema) holds nothing of this kind on the entity 999000088",
            ),
            (
                "real-estate/4400-9990-0002",
                "NTR (Nekilnojamojo turto registras) holds nothing of this kind on the object 4400-9990-0002",
            ),
        ] {
            let refused = caller.get(&format!("/v1/{path}")).await;
            refused.assert_refused(404, "no-data");
            let detail = refused.json()["detail"]
                .as_str()
                .expect("a text")
                .to_owned();
            let (said, rest) = detail.split_once(", as it answered at ").expect("a time");
            assert_eq!(said, words);
            let time = rest
                .split_once(". Nothing was charged.")
                .expect("the price")
                .0;
            assert!(time.parse::<jiff::Timestamp>().is_ok(), "{time}");
        }
    }
    let bearer = format!("Bearer {}", demo.world.diligence.test);
    let seizures = json!({"name": "get_seizures", "arguments": {"entityCode": "999000088"}});
    let agent = agents::call(&demo, seizures, &[("authorization", &bearer)]).await;
    let agent: Value = agent.json().await.expect("JSON");
    let detail = &agent["result"]["structuredContent"]["detail"];
    assert!(
        detail
            .as_str()
            .is_some_and(|detail| detail.starts_with("TAAR ")),
        "{agent}"
    );
}

#[tokio::test]
async fn what_open_data_join_of_several_publishers_names_each_and_keeps_their_answers() {
    let demo = Demo::start_with(&[("PARAFA_DILIGENCE__OPEN_DATA_URL", open_data())]);
    let live = DiligenceCaller::live(&demo);
    let answered = live.get("/v1/entities/188772433?format=asice").await;
    assert_eq!(answered.status, StatusCode::OK);

    let (answer, raw) = members(&answered.body);

    let data = &answer["data"];
    for (source, register, name) in [
        (&answer["source"], "JAR", "raw/1-jar.json"),
        (&data["vat"]["source"], "VMI", "raw/2-vmi.json"),
        (&data["activities"][0]["source"], "VDA", "raw/3-vda.json"),
    ] {
        assert_eq!(source["register"], register);
        assert_eq!(source["mode"], "open-data");
        assert_eq!(source["rawSha256"], digest(&raw[name]), "{name}");
    }
    assert_eq!(data["shareCapital"]["amount"], "2500.50");
    for unknown in ["alternateNames", "branches", "restrictions"] {
        assert_eq!(data[unknown], Value::Null, "{unknown}");
    }
    assert_eq!(data["managementBodies"][0]["members"], Value::Null);
}
