use super::demo::Demo;

/// What the operator's listener tells about the server, in the OpenMetrics
/// text format.
pub(crate) struct Metrics(String);

impl Metrics {
    pub(crate) fn new(text: String) -> Self {
        assert!(text.ends_with("# EOF\n"), "{text}");
        Self(text)
    }

    /// The sum of all samples of a name that have these labels.
    pub(crate) fn sum(&self, name: &str, labels: &[(&str, &str)]) -> f64 {
        self.0
            .lines()
            .filter_map(|line| line.strip_prefix(name))
            .filter(|rest| rest.starts_with(['{', ' ']))
            .filter(|rest| {
                labels
                    .iter()
                    .all(|(label, value)| rest.contains(&format!("{label}=\"{value}\"")))
            })
            .map(|rest| {
                let value = rest.rsplit(' ').next().expect("a line has a value");
                value.parse::<f64>().expect("a number")
            })
            .sum()
    }

    /// Nothing tells who signs what.
    pub(crate) fn assert_nobody_is_named(&self, demo: &Demo, secrets: &[&str]) {
        let personas = &demo.world.world.personas;
        let names = personas
            .iter()
            .flat_map(|persona| [persona.personal_code.as_str(), persona.name.as_str()]);
        for secret in names.chain(secrets.iter().copied()) {
            assert!(!self.0.contains(secret), "{secret} is in the metrics");
        }
    }
}
