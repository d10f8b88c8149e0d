vcl 4.1;
# Varnish in front of a public service (serve --public --trust-proxy 127.0.0.1), in the role of a CDN. How long an answer is
# kept, Cache-Control says. Varnish asks for gzip, keeps that, and inflates it for clients without.

backend boundaries {
    .host = "127.0.0.1";
    .port = "8080";
    .first_byte_timeout = 60s;
    .between_bytes_timeout = 60s;
}

sub vcl_recv {
    if (req.method == "CONNECT") {
        return (synth(405, "Method Not Allowed"));
    }
    # Neither matters to the service; with one of them Varnish would not look into its cache.
    unset req.http.Authorization;
    unset req.http.Cookie;
    # What a client says of these is no part of the key: it must not come into what others get.
    set req.http.X-Forwarded-Host = req.http.Host;
    unset req.http.X-Forwarded-Proto;
    if (req.url ~ "^/(healthz|readyz)$" || req.url ~ "^/api/v1/download/") {
        # Downloads may be larger than the cache, and are continued by ranges.
        return (pass);
    }
}

sub vcl_backend_response {
    # Not once more when its time is over (stale-while-revalidate): a minute after a release is published nobody sees the old one.
    set beresp.grace = 0s;
}
