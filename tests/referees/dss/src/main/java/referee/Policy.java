package referee;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

import eu.europa.esig.dss.model.policy.ValidationPolicy;
import eu.europa.esig.dss.policy.EtsiValidationPolicyFactory;

/**
 * The policy of the library, with what it merely warns of made a failure: that what was signed is not what is there
 * now. Whoever passes here passes the policy as it comes.
 */
final class Policy {
    private static final String STOCK = "/policy/constraint.xml";
    private static final List<String> STRICT = List.of(
            // Later revisions of a PDF.
            "UndefinedChanges", "DocMDP", "FieldMDP", "SigFieldLock", "ByteRangeCollision",
            // Containers: any file with the right digest is taken for the one that a reference names, and files that
            // nobody signed are let pass.
            "ReferenceDataNameMatch", "AllFilesSigned",
            // XML and JSON that break their schemas.
            "StructuralValidation");

    private Policy() {
    }

    static ValidationPolicy strict() throws IOException {
        String policy;
        try (InputStream stock = Policy.class.getResourceAsStream(STOCK)) {
            policy = new String(stock.readAllBytes(), StandardCharsets.UTF_8);
        }
        for (String constraint : STRICT) {
            String strict = policy.replaceAll("<" + constraint + " Level=\"\\w+\"", "<" + constraint + " Level=\"FAIL\"");
            if (strict.equals(policy)) {
                throw new IllegalStateException("the policy has no lenient " + constraint);
            }
            policy = strict;
        }
        byte[] xml = policy.getBytes(StandardCharsets.UTF_8);
        return new EtsiValidationPolicyFactory().loadValidationPolicy(new ByteArrayInputStream(xml));
    }
}
