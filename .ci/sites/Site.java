import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsParameters;
import com.sun.net.httpserver.HttpsServer;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.KeyStore;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;

/**
 * A website of Java's HttpsServer for .ci/servers.
 *
 * <pre>java Site.java KEYSTORE PASSWORD VERSION PROTOCOLS</pre>
 *
 * It speaks this version of TLS ("1.2" or "1.3") and no other, and prints where it listens. PROTOCOLS is "http/1.1", or
 * "none" for a server that names no protocol (ALPN), as an HttpsServer does by itself.
 */
final class Site {
    private static final byte[] PAGE = "{\"name\": \"Ada\", \"balance\": 5120}".getBytes(StandardCharsets.US_ASCII);

    /** Answers with the page: with its length, or in chunks if that is 0. */
    private static void answer(HttpExchange exchange, long length) throws IOException {
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        exchange.sendResponseHeaders(200, length);
        try (OutputStream body = exchange.getResponseBody()) {
            body.write(PAGE, 0, 16);
            body.flush();
            body.write(PAGE, 16, PAGE.length - 16);
        }
    }

    private static SSLContext context(String file, char[] password) throws Exception {
        KeyStore store = KeyStore.getInstance("PKCS12");
        try (FileInputStream content = new FileInputStream(file)) {
            store.load(content, password);
        }
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(store, password);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keys.getKeyManagers(), null, null);
        return context;
    }

    public static void main(String[] args) throws Exception {
        SSLContext context = context(args[0], args[1].toCharArray());
        HttpsServer server = HttpsServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
        server.setHttpsConfigurator(new HttpsConfigurator(context) {
            @Override
            public void configure(HttpsParameters parameters) {
                SSLParameters own = getSSLContext().getDefaultSSLParameters();
                own.setProtocols(new String[] {"TLSv" + args[2]});
                if (!args[3].equals("none")) {
                    own.setApplicationProtocols(new String[] {args[3]});
                }
                parameters.setSSLParameters(own);
            }
        });
        server.createContext("/page.json", exchange -> answer(exchange, PAGE.length));
        server.createContext("/chunked", exchange -> answer(exchange, 0));
        server.start();
        System.out.println("listening at 127.0.0.1:" + server.getAddress().getPort());
    }
}
