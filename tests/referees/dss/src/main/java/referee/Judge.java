package referee;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import eu.europa.esig.dss.diagnostic.DiagnosticData;
import eu.europa.esig.dss.diagnostic.PDFRevisionWrapper;
import eu.europa.esig.dss.diagnostic.SignatureWrapper;
import eu.europa.esig.dss.diagnostic.TimestampWrapper;
import eu.europa.esig.dss.enumerations.Indication;
import eu.europa.esig.dss.jaxb.object.Message;
import eu.europa.esig.dss.model.FileDocument;
import eu.europa.esig.dss.model.policy.ValidationPolicy;
import eu.europa.esig.dss.model.x509.CertificateToken;
import eu.europa.esig.dss.service.crl.OnlineCRLSource;
import eu.europa.esig.dss.service.ocsp.OnlineOCSPSource;
import eu.europa.esig.dss.simplereport.SimpleReport;
import eu.europa.esig.dss.simplereport.jaxb.XmlSignatureScope;
import eu.europa.esig.dss.spi.client.http.DataLoader;
import eu.europa.esig.dss.spi.policy.SignaturePolicyProvider;
import eu.europa.esig.dss.spi.validation.CertificateVerifier;
import eu.europa.esig.dss.spi.validation.CommonCertificateVerifier;
import eu.europa.esig.dss.spi.x509.CommonCertificateSource;
import eu.europa.esig.dss.spi.x509.CommonTrustedCertificateSource;
import eu.europa.esig.dss.spi.x509.aia.DefaultAIASource;
import eu.europa.esig.dss.validation.SignedDocumentValidator;
import eu.europa.esig.dss.validation.reports.Reports;

/** Validates files, one after the other, with the same anchors and the same policy. */
final class Judge {
    private final CertificateVerifier verifier;
    private final SignaturePolicyProvider policies = new SignaturePolicyProvider();
    private final ValidationPolicy policy = Policy.strict();
    private final Level least;

    /** Without a least level, levels and time-stamps are told and not asked for. */
    Judge(List<Path> trusted, List<Path> others, boolean online, Level least) throws IOException {
        CommonTrustedCertificateSource anchors = new CommonTrustedCertificateSource();
        for (CertificateToken certificate : certificates(trusted)) {
            anchors.addCertificate(certificate);
        }
        CommonCertificateSource known = new CommonCertificateSource();
        for (CertificateToken certificate : certificates(others)) {
            known.addCertificate(certificate);
        }
        // The simple one has no sources, the other one asks the whole network.
        verifier = new CommonCertificateVerifier(true);
        verifier.setTrustedCertSources(anchors);
        verifier.setAdjunctCertSources(known);
        if (online) {
            DataLoader loader = Network.loopback();
            verifier.setAIASource(new DefaultAIASource(loader));
            verifier.setOcspSource(new OnlineOCSPSource(loader));
            verifier.setCrlSource(new OnlineCRLSource(loader));
        }
        policies.setDataLoader(Network.nobody());
        this.least = least;
    }

    /** What is found about a file. */
    Map<String, Object> verdict(Path file) {
        Map<String, Object> verdict = new LinkedHashMap<>();
        verdict.put("file", file.toString());
        try {
            SignedDocumentValidator validator = SignedDocumentValidator.fromDocument(new FileDocument(file.toFile()));
            validator.setCertificateVerifier(verifier);
            validator.setSignaturePolicyProvider(policies);
            validator.setEnableEtsiValidationReport(false);
            Reports reports = validator.validateDocument(policy);
            describe(reports.getSimpleReport(), reports.getDiagnosticData(), verdict);
        } catch (RuntimeException | StackOverflowError failure) {
            verdict.put("ok", false);
            verdict.put("error", failure.toString());
        }
        return verdict;
    }

    private void describe(SimpleReport report, DiagnosticData data, Map<String, Object> verdict) {
        List<Object> signatures = new ArrayList<>();
        boolean good = report.getSignaturesCount() > 0;
        for (SignatureWrapper signature : data.getSignatures()) {
            String id = signature.getId();
            Indication indication = report.getIndication(id);
            good &= indication == Indication.TOTAL_PASSED;
            good &= least == null || Level.of(report.getSignatureFormat(id)).filter(this::suffices).isPresent();
            signatures.add(described(report, signature));
        }
        List<Object> timestamps = new ArrayList<>();
        for (TimestampWrapper timestamp : data.getTimestampList()) {
            Indication indication = report.getIndication(timestamp.getId());
            good &= least == null || indication == Indication.PASSED;
            Map<String, Object> described = new LinkedHashMap<>();
            described.put("type", timestamp.getType().name());
            described.put("time", timestamp.getProductionTime().toInstant().toString());
            conclude(report, timestamp.getId(), described);
            timestamps.add(described);
        }
        verdict.put("ok", good);
        verdict.put("signatures", signatures);
        verdict.put("timestamps", timestamps);
    }

    private boolean suffices(Level level) {
        return level.compareTo(least) >= 0;
    }

    private static Map<String, Object> described(SimpleReport report, SignatureWrapper signature) {
        String id = signature.getId();
        Map<String, Object> described = new LinkedHashMap<>();
        described.put("signer", report.getSignedBy(id));
        described.put("level", String.valueOf(report.getSignatureFormat(id)));
        conclude(report, id, described);
        List<String> covers = new ArrayList<>();
        for (XmlSignatureScope scope : report.getSignatureScopes(id)) {
            covers.add(scope.getScope() + " " + scope.getName());
        }
        described.put("covers", covers);
        PDFRevisionWrapper revision = signature.getPDFRevision();
        if (revision != null) {
            described.put("laterChanges", laterChanges(revision));
        }
        return described;
    }

    /** The indication, and why it is not a better one. */
    private static void conclude(SimpleReport report, String id, Map<String, Object> described) {
        described.put("indication", String.valueOf(report.getIndication(id)));
        if (report.getSubIndication(id) != null) {
            described.put("subIndication", report.getSubIndication(id).name());
        }
        described.put("errors", texts(report.getAdESValidationErrors(id)));
        described.put("warnings", texts(report.getAdESValidationWarnings(id)));
    }

    private static List<String> texts(List<Message> messages) {
        return messages.stream().map(Message::getValue).toList();
    }

    /** What later revisions of a PDF changed, at worst. */
    private static String laterChanges(PDFRevisionWrapper revision) {
        if (!revision.getPdfUndefinedChanges().isEmpty()) {
            return "UNDEFINED";
        }
        if (!revision.getPdfAnnotationChanges().isEmpty()) {
            return "ANNOTATIONS";
        }
        if (!revision.getPdfSignatureOrFormFillChanges().isEmpty()) {
            return "FORM_OR_SIGNATURE";
        }
        return revision.getPdfExtensionChanges().isEmpty() ? "NONE" : "EXTENSION";
    }

    private static List<CertificateToken> certificates(List<Path> files) throws IOException {
        List<CertificateToken> certificates = new ArrayList<>();
        for (Path file : files) {
            try (InputStream pem = Files.newInputStream(file)) {
                for (var certificate : CertificateFactory.getInstance("X.509").generateCertificates(pem)) {
                    certificates.add(new CertificateToken((X509Certificate) certificate));
                }
            } catch (CertificateException failure) {
                throw new IOException(file + " holds no certificates", failure);
            }
        }
        return certificates;
    }
}
