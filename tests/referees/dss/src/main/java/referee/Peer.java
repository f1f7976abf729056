package referee;

import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import com.sun.management.OperatingSystemMXBean;

import eu.europa.esig.dss.asic.xades.ASiCWithXAdESSignatureParameters;
import eu.europa.esig.dss.asic.xades.signature.ASiCWithXAdESService;
import eu.europa.esig.dss.enumerations.ASiCContainerType;
import eu.europa.esig.dss.enumerations.DigestAlgorithm;
import eu.europa.esig.dss.enumerations.SignatureAlgorithm;
import eu.europa.esig.dss.enumerations.SignatureLevel;
import eu.europa.esig.dss.model.DSSDocument;
import eu.europa.esig.dss.model.InMemoryDocument;
import eu.europa.esig.dss.model.SignatureValue;
import eu.europa.esig.dss.model.ToBeSigned;
import eu.europa.esig.dss.model.x509.CertificateToken;
import eu.europa.esig.dss.pades.PAdESSignatureParameters;
import eu.europa.esig.dss.pades.signature.PAdESService;
import eu.europa.esig.dss.spi.validation.CommonCertificateVerifier;

/** Signs files into an ASiC-E container, or a PDF, again and again, so that others can be measured beside it. */
final class Peer {
    private static final int WARM_UP = 20;
    private static final int ROUNDS = 40;

    private final PrivateKey key;
    private final CertificateToken signer;
    private final ASiCWithXAdESService service = new ASiCWithXAdESService(new CommonCertificateVerifier(true));
    private final PAdESService pdfService = new PAdESService(new CommonCertificateVerifier(true));

    Peer(Path key, Path certificate) throws IOException, GeneralSecurityException {
        String pem = Files.readString(key).replaceAll("-----[A-Z ]+-----|\\s", "");
        PKCS8EncodedKeySpec spec = new PKCS8EncodedKeySpec(Base64.getDecoder().decode(pem));
        this.key = KeyFactory.getInstance("EC").generatePrivate(spec);
        try (InputStream der = Files.newInputStream(certificate)) {
            signer = new CertificateToken(
                    (X509Certificate) CertificateFactory.getInstance("X.509").generateCertificate(der));
        }
    }

    /** Milliseconds of a signature at level B-B from the files in memory to the container in memory. */
    Map<String, Object> measured(List<Path> files) throws IOException, GeneralSecurityException {
        List<DSSDocument> documents = new ArrayList<>();
        for (Path file : files) {
            documents.add(new InMemoryDocument(Files.readAllBytes(file), file.getFileName().toString()));
        }
        double[] taken = new double[ROUNDS];
        for (int round = -WARM_UP; round < ROUNDS; round++) {
            long begun = System.nanoTime();
            sign(documents);
            if (round >= 0) {
                taken[round] = (System.nanoTime() - begun) / 1e6;
            }
        }
        Arrays.sort(taken);
        Map<String, Object> times = new LinkedHashMap<>();
        times.put("minMs", taken[0]);
        times.put("medianMs", taken[ROUNDS / 2]);
        return times;
    }

    /**
     * Milliseconds that this whole process has the processors for, for a signature of a PDF at level B-B from memory
     * to memory, after as many signatures that do not count.
     */
    Map<String, Object> processorOfPdf(Path file, int runs) throws IOException, GeneralSecurityException {
        OperatingSystemMXBean process = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
        DSSDocument document = new InMemoryDocument(Files.readAllBytes(file), file.getFileName().toString());
        long begun = 0;
        for (int run = -runs; run < runs; run++) {
            if (run == 0) {
                begun = process.getProcessCpuTime();
            }
            sign(document);
        }
        return Map.of("processorMs", (process.getProcessCpuTime() - begun) / 1e6 / runs);
    }

    private void sign(List<DSSDocument> documents) throws GeneralSecurityException {
        ASiCWithXAdESSignatureParameters parameters = new ASiCWithXAdESSignatureParameters();
        parameters.aSiC().setContainerType(ASiCContainerType.ASiC_E);
        parameters.setSignatureLevel(SignatureLevel.XAdES_BASELINE_B);
        parameters.setDigestAlgorithm(DigestAlgorithm.SHA256);
        parameters.setSigningCertificate(signer);
        SignatureValue value = value(service.getDataToSign(documents, parameters));
        service.signDocument(documents, parameters, value);
    }

    private void sign(DSSDocument document) throws GeneralSecurityException {
        PAdESSignatureParameters parameters = new PAdESSignatureParameters();
        parameters.setSignatureLevel(SignatureLevel.PAdES_BASELINE_B);
        parameters.setDigestAlgorithm(DigestAlgorithm.SHA256);
        parameters.setSigningCertificate(signer);
        SignatureValue value = value(pdfService.getDataToSign(document, parameters));
        pdfService.signDocument(document, parameters, value);
    }

    private SignatureValue value(ToBeSigned signed) throws GeneralSecurityException {
        Signature signature = Signature.getInstance("SHA256withECDSA");
        signature.initSign(key);
        signature.update(signed.getBytes());
        return new SignatureValue(SignatureAlgorithm.ECDSA_SHA256, signature.sign());
    }
}
