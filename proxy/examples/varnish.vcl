vcl 4.1;
# Varnish, or a CDN with the same rules, in front of the proxy. Every response under /api/ is `private`: Varnish passes it
# on and never stores it. The cache of the client saves the work; Cache-Control tells it how long a page is fresh.

backend boundaries {
    .host = "127.0.0.1";
    .port = "8080";
    .first_byte_timeout = 60s;
    .between_bytes_timeout = 60s;
}

sub vcl_recv {
    if (req.method == "CONNECT") {
        # By default, Varnish would open a tunnel to the proxy.
        return (synth(405, "Method Not Allowed"));
    }
    if (req.url ~ "^/api/") {
        # No cache look-up. Without this, Varnish decides by Cache-Control, with the same result.
        return (pass);
    }
}
