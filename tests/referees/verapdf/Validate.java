import java.io.File;
import java.util.TreeSet;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.verapdf.gf.foundry.VeraGreenfieldFoundryProvider;
import org.verapdf.pdfa.Foundries;
import org.verapdf.pdfa.PDFAParser;
import org.verapdf.pdfa.PDFAValidator;
import org.verapdf.pdfa.results.TestAssertion;
import org.verapdf.pdfa.results.ValidationResult;

/** Validates documents against the PDF/A flavour that each claims: one line a file. */
public class Validate {
    public static void main(String[] files) throws Exception {
        Logger.getLogger("").setLevel(Level.OFF);
        VeraGreenfieldFoundryProvider.initialise();
        for (String file : files) {
            try (PDFAParser parser = Foundries.defaultInstance().createParser(new File(file))) {
                PDFAValidator validator =
                        Foundries.defaultInstance().createValidator(parser.getFlavour(), false);
                ValidationResult result = validator.validate(parser);
                TreeSet<String> broken = new TreeSet<>();
                for (TestAssertion assertion : result.getTestAssertions()) {
                    if (assertion.getStatus() == TestAssertion.Status.FAILED) {
                        broken.add(assertion.getRuleId().getClause()
                                + "-" + assertion.getRuleId().getTestNumber());
                    }
                }
                System.out.println((result.isCompliant() ? "compliant " : "broken ")
                        + parser.getFlavour().getId() + " " + String.join(",", broken));
            }
        }
    }
}
