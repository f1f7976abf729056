use quick_xml::Writer;
use quick_xml::events::{BytesEnd, BytesStart, BytesText, Event};

/// Writes XML to memory, which does not fail.
#[derive(Debug)]
pub struct XmlWriter(Vec<u8>);

impl XmlWriter {
    /// The text that is written, as a document in UTF-8 with its declaration.
    #[must_use]
    pub fn document(write: impl FnOnce(&mut Self)) -> String {
        const DECLARATION: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";

        format!("{DECLARATION}{}", Self::fragment(write))
    }

    /// The text that is written, as a piece of a document.
    #[must_use]
    pub fn fragment(write: impl FnOnce(&mut Self)) -> String {
        let mut writer = Self(Vec::new());
        write(&mut writer);
        String::from_utf8(writer.0).expect("what was written is text")
    }

    /// An element with what is in it.
    pub fn element(
        &mut self,
        name: &str,
        attributes: &[(&str, &str)],
        inner: impl FnOnce(&mut Self),
    ) {
        let start = BytesStart::new(name).with_attributes(attributes.iter().copied());
        self.event(Event::Start(start));
        inner(self);
        self.event(Event::End(BytesEnd::new(name)));
    }

    /// An element with text in it.
    pub fn text(&mut self, name: &str, attributes: &[(&str, &str)], text: &str) {
        self.element(name, attributes, |writer| {
            writer.event(Event::Text(BytesText::new(text)));
        });
    }

    /// An element with nothing in it.
    pub fn empty(&mut self, name: &str, attributes: &[(&str, &str)]) {
        self.element(name, attributes, |_| {});
    }

    fn event(&mut self, event: Event<'_>) {
        let mut writer = Writer::new(&mut self.0);
        writer.write_event(event).expect("memory takes all bytes");
    }
}
