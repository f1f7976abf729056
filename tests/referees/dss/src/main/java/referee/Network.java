package referee;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.Set;

import javax.net.ssl.SSLParameters;

import eu.europa.esig.dss.spi.client.http.DataLoader;
import eu.europa.esig.dss.spi.exception.DSSExternalResourceException;

/**
 * What may be asked over a network: services on this machine, and those only when somebody says so. The library would
 * otherwise fetch certificates, policies and schemas from wherever a document says.
 */
final class Network {
    private static final Set<String> LOOPBACK = Set.of("127.0.0.1", "localhost", "[::1]");
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(10);

    private Network() {
    }

    /**
     * Lets every socket of the process fail. The client below is the one thing that needs none: it works with channels.
     */
    @SuppressWarnings("deprecation")
    static void refuseSockets() throws IOException {
        Socket.setSocketImplFactory(() -> {
            throw new UnsupportedOperationException("no network");
        });
    }

    /** Refuses whatever it is asked. */
    static DataLoader nobody() {
        return new Loader() {
            @Override
            protected byte[] answer(String url, BodyPublisher body) {
                throw new DSSExternalResourceException("no network: " + url);
            }
        };
    }

    /** Asks over plain HTTP on this machine, and follows no redirects. */
    static DataLoader loopback() {
        return new Loader() {
            // Without parameters it would ask a socket for the usual ones.
            private final transient HttpClient client = HttpClient.newBuilder()
                    .sslParameters(new SSLParameters())
                    .connectTimeout(LONGEST_WAIT)
                    .build();

            @Override
            protected byte[] answer(String url, BodyPublisher body) {
                URI uri = URI.create(url);
                if (!"http".equals(uri.getScheme()) || !LOOPBACK.contains(uri.getHost())) {
                    throw new DSSExternalResourceException("not on this machine: " + url);
                }
                HttpRequest.Builder request = HttpRequest.newBuilder(uri).timeout(LONGEST_WAIT);
                if (body == null) {
                    request.GET();
                } else {
                    request.POST(body);
                    if (contentType != null) {
                        request.header("Content-Type", contentType);
                    }
                }
                try {
                    HttpResponse<byte[]> response = client.send(request.build(), BodyHandlers.ofByteArray());
                    if (response.statusCode() != 200) {
                        throw new DSSExternalResourceException(url + " answers " + response.statusCode());
                    }
                    return response.body();
                } catch (IOException failure) {
                    throw new DSSExternalResourceException(url, failure);
                } catch (InterruptedException interruption) {
                    Thread.currentThread().interrupt();
                    throw new DSSExternalResourceException(url, interruption);
                }
            }
        };
    }

    /** The forms in which the library asks, led to one. */
    private abstract static class Loader implements DataLoader {
        protected String contentType;

        /** The answer to a GET, or to a POST when there is a body. */
        protected abstract byte[] answer(String url, BodyPublisher body);

        @Override
        public byte[] get(String url) {
            return answer(url, null);
        }

        @Override
        public DataAndUrl get(List<String> urls) {
            DSSExternalResourceException last = new DSSExternalResourceException("no address");
            for (String url : urls) {
                try {
                    return new DataAndUrl(url, get(url));
                } catch (DSSExternalResourceException failure) {
                    last = failure;
                }
            }
            throw last;
        }

        @Override
        public byte[] post(String url, byte[] content) {
            return answer(url, BodyPublishers.ofByteArray(content));
        }

        @Override
        public void setContentType(String contentType) {
            this.contentType = contentType;
        }
    }
}
