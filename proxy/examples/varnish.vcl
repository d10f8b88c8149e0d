vcl 4.1;
# Varnish, or a CDN that thinks like it, in front of the proxy. Every answer under /api/ is `private`: it is passed on and
# never kept, whatever is asked for next. What saves work is a cache at the client, which is told how long pages hold.

backend boundaries {
    .host = "127.0.0.1";
    .port = "8080";
    .first_byte_timeout = 60s;
    .between_bytes_timeout = 60s;
}

sub vcl_recv {
    if (req.url ~ "^/api/") {
        # Not looked up at all. Without this Varnish finds out by itself, from Cache-Control.
        return (pass);
    }
}
