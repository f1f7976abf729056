//! Commands of the pages for developers, run unchanged.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::process::Command;

use parafa_fixtures::referees::installed;
use parafa_fixtures::tool;
use reqwest::redirect::Policy;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::demo::Demo;

/// Programs that the commands call.
const PROGRAMS: [&str; 5] = ["awk", "bash", "curl", "jq", "openssl"];
/// Signer in the guides.
const CODE: &str = "40504040001";

/// Shell in the folder in which the demo was started.
pub(super) struct Reader<'d> {
    demo: &'d Demo,
    folder: TempDir,
}

impl<'d> Reader<'d> {
    /// Creates a reader; `None` if a program is missing.
    pub(super) fn of(demo: &'d Demo) -> Option<Self> {
        for program in PROGRAMS {
            tool::program(program)?;
        }
        let folder = tempfile::tempdir().expect("a temporary folder");
        symlink(demo.data(), folder.path().join("parafa-data")).expect("a link");
        Some(Self { demo, folder })
    }

    /// Returns the blocks of code on a page.
    pub(super) async fn code(&self, path: &str) -> Vec<String> {
        let page = text(self.demo, path).await;
        let blocks = page.split("<pre tabindex=\"0\"><code>").skip(1);
        let code = blocks.filter_map(|rest| Some(unescaped(rest.split_once("</code>")?.0)));
        code.collect()
    }

    /// Runs the commands of a page, which must all succeed, and returns their
    /// output lines. The new folder that they create is the reader's.
    async fn follows(&self, path: &str) -> Vec<String> {
        let commands = self.code(path).await;
        let commands = commands.iter().filter(|code| !code.starts_with("claude "));
        let commands: Vec<_> = commands
            .filter(|code| !code.starts_with('{'))
            .map(String::as_str)
            .collect();
        assert!(!commands.is_empty(), "{path}: there are no commands");
        let script = format!("mktemp() {{ pwd; }}\n{}", commands.join("\n"));
        self.prints(Command::new("bash").args(["-euo", "pipefail", "-c", &script]))
    }

    /// Runs a program, which has to succeed, and returns its output lines.
    pub(super) fn prints(&self, program: &mut Command) -> Vec<String> {
        let output = program.current_dir(self.folder.path()).output();
        let output = output.expect("a program");
        let told = String::from_utf8_lossy(&output.stdout);
        let complaint = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{told}{complaint}");
        told.lines().map(str::to_owned).collect()
    }

    /// Returns the path of a file in the folder.
    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }
}

/// Returns a page of the server.
pub(super) async fn text(demo: &Demo, path: &str) -> String {
    let address = demo.world.base_url.join(path).expect("an address");
    let answer = reqwest::get(address).await.expect("an answer");
    assert_eq!(answer.status(), 200, "{path}");
    answer.text().await.expect("a page")
}

fn unescaped(html: &str) -> String {
    html.replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", "\"")
        .replace("&amp;", "&")
}

#[tokio::test]
async fn the_guide_leads_from_nothing_to_a_signed_document_and_a_verified_webhook() {
    let demo = Demo::start();
    let Some(reader) = Reader::of(&demo) else {
        return;
    };

    let told = reader.follows("docs/guide").await;

    let [link, phase, signatures, verified] = &told[..] else {
        panic!("{told:?}")
    };
    assert!(link.contains("/c/"), "{link}");
    assert_eq!([phase, signatures, verified], ["done", "1", "verified"]);
}

#[tokio::test]
async fn the_guide_leads_from_a_code_to_a_signed_answer_and_a_package() {
    let demo = Demo::start();
    let Some(reader) = Reader::of(&demo) else {
        return;
    };

    let told = reader.follows("dd/docs/guide").await;

    for line in ["JAR", "declared", "Ona Pavyzdienė", "Verified OK"] {
        assert!(told.iter().any(|one| one == line), "{line}: {told:?}");
    }
    assert_eq!(told.last().map(String::as_str), Some("delivered"));
    let package = fs::read(reader.path("package.asice")).expect("a package");
    assert!(package.starts_with(b"PK"));
}

#[tokio::test]
async fn the_guide_leads_from_a_login_to_a_verified_assertion() {
    let demo = Demo::start();
    let Some(reader) = Reader::of(&demo) else {
        return;
    };

    let told = reader.follows("auth/docs/guide").await;

    let subject = format!("PNOLT-{CODE}");
    let expected = ["completed", "Verified OK", "true", subject.as_str()];
    assert_eq!(told[1..5], expected);
}

#[tokio::test]
async fn a_webhook_is_verified_in_every_language_of_the_page() {
    let modules = installed("typescript/node_modules");
    let modules = tool::or_skip("npm's packages", modules.is_dir().then_some(modules));
    let (Some(modules), Some(node), Some(python)) =
        (modules, tool::program("node"), tool::program("python3"))
    else {
        return;
    };
    let demo = Demo::start();
    let Some(reader) = Reader::of(&demo) else {
        return;
    };
    // The guide saves the deliveries that are verified below.
    reader.follows("docs/guide").await;
    let code = reader.code("docs/webhooks").await;
    let [in_shell, in_python, in_typescript] = &code[..] else {
        panic!("the page has other code than this test knows: {code:?}")
    };
    let secret = &demo.world.signing.webhook_secret;

    let guide = reader.code("docs/guide").await;
    assert_eq!(guide.last(), Some(in_shell));

    let called = "
import json, sys
delivery = json.load(open('deliveries.json'))[0]
for more in ('', ' '):
    print(verify(sys.argv[1], delivery['headers'], (delivery['body'] + more).encode()))
";
    fs::write(reader.path("verify.py"), format!("{in_python}\n{called}")).expect("a file");
    let told = reader.prints(Command::new(python).arg("verify.py").arg(secret));
    assert_eq!(told, ["True", "False"]);

    let called = "
import { readFileSync } from 'node:fs';
import { verify } from './out/verify.mjs';
const [{ headers, body }] = JSON.parse(readFileSync('deliveries.json', 'utf8'));
for (const more of ['', ' ']) {
  const bytes = await new Blob([body, more]).arrayBuffer();
  console.log(await verify(process.argv[2], new Headers(headers), bytes));
}
";
    fs::write(reader.path("verify.mts"), in_typescript).expect("a file");
    fs::write(reader.path("call.mjs"), called).expect("a file");
    let compiled = ["--strict", "--module", "nodenext", "--target", "es2022"];
    reader.prints(
        Command::new(&node)
            .arg(modules.join(".bin/tsc"))
            .args(compiled)
            .args(["--lib", "es2022,dom", "--outDir", "out", "verify.mts"]),
    );
    let told = reader.prints(Command::new(&node).arg("call.mjs").arg(secret));
    assert_eq!(told, ["true", "false"]);
}

#[tokio::test]
async fn an_agent_connects_as_the_page_says_and_finds_the_tools_that_it_lists() {
    let demo = Demo::start();
    let Some(reader) = Reader::of(&demo) else {
        return;
    };

    let told = reader.follows("docs/mcp").await;

    assert!(told.len() == 1 && !told[0].is_empty(), "{told:?}");
    let page = text(&demo, "docs/mcp").await;
    let endpoint = demo.world.base_url.join("mcp").expect("an address");
    assert!(page.contains(endpoint.as_str()), "{page}");
    let asked = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}});
    let asked = reqwest::Client::new().post(endpoint).json(&asked).send();
    let listed: Value = asked.await.expect("an answer").json().await.expect("JSON");
    let tools = listed["result"]["tools"].as_array().expect("tools");
    assert_eq!(tools.len(), 9, "{listed}");
    for tool in tools {
        let name = tool["name"].as_str().expect("a name");
        assert!(page.contains(&format!("<code>{name}</code>")), "{name}");
    }
}

/// Pages on all APIs, and the guide and the reference of each.
const PAGES: [&str; 11] = [
    "",
    "docs",
    "docs/guide",
    "dd/docs/guide",
    "auth/docs/guide",
    "docs/webhooks",
    "docs/mcp",
    "problems",
    "docs/reference",
    "dd/docs/reference",
    "auth/docs/reference",
];

#[tokio::test]
async fn every_link_of_the_pages_for_developers_leads_somewhere() {
    let demo = Demo::start();
    let base = demo.world.base_url.as_str().trim_end_matches('/');
    let mut followed = Vec::new();
    for path in PAGES {
        let page = text(&demo, path).await;
        let links = page.split("href=\"").skip(1);
        let links = links.filter_map(|rest| rest.split_once('"'));
        for (link, _) in links {
            let own = link.strip_prefix(base).unwrap_or(link);
            let own = own.split('#').next().unwrap_or_default();
            if own.starts_with('/') && !followed.contains(&own.to_owned()) {
                text(&demo, own).await;
                followed.push(own.to_owned());
            }
        }
    }

    for path in PAGES {
        assert!(followed.contains(&format!("/{path}")), "{path} is linked");
    }
}

#[tokio::test]
async fn every_problem_of_every_description_is_in_the_index() {
    let demo = Demo::start();
    let index = text(&demo, "problems").await;
    for (description, folder) in [
        ("openapi.json", ""),
        ("dd/openapi.json", ""),
        ("auth/openapi.json", "/auth"),
    ] {
        let described: Value = text(&demo, description).await.parse().expect("JSON");
        let problems = described["components"]["examples"].as_object();
        let problems = problems.expect("examples of problems");
        assert!(problems.len() > 10, "{description}");
        for name in problems.keys() {
            let link = format!("<a href=\"{folder}/problems/{name}\">");
            assert!(index.contains(&link), "{description}: {name}");
        }
    }
}

#[tokio::test]
async fn whoever_opens_a_demo_signs_a_sample_at_once() {
    let demo = Demo::start();
    let front = text(&demo, "").await;
    assert!(front.contains("<form method=\"post\" action=\"/demo/sample\">"));
    // A browser sends no origin after a redirect.
    let client = reqwest::Client::builder().redirect(Policy::none()).build();
    let client = client.expect("a client");
    let asks = async |site: &str| {
        let address = demo.world.base_url.join("demo/sample").expect("a path");
        let form = client.post(address);
        let form = form.header("sec-fetch-site", site).header("origin", "null");
        form.send().await.expect("an answer")
    };

    let led = asks("same-origin").await;

    assert_eq!(led.status(), 303);
    let path = led.headers()["location"].to_str().expect("a path");
    assert!(path.starts_with("/c/"), "{path}");
    let link = demo.world.base_url.join(path).expect("a path");
    assert!(!text(&demo, path).await.is_empty());
    let ceremony = Demo::ceremony(&link);
    ceremony.sign(demo.smart_id_personas("signs")[0]).await;
    assert_eq!(asks("cross-site").await.status(), 403);
}
