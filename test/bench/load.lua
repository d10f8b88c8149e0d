-- The requests of wrk: targets from a file, one a line, in turn from one of them on and from the first one again.
-- serve.ts starts wrk with this script and reads what `done` prints. Arguments: file, number of the first target from 0.

local targets = {}
local sent, tail

function init(args)
  for line in io.lines(args[1]) do targets[#targets + 1] = "GET " .. line .. " HTTP/1.1" end
  sent = tonumber(args[2])
  -- Every request ends with the same headers: they are formatted once.
  tail = wrk.format("GET", "/"):match("^GET / HTTP/1%.1(.*)$")
end

function request()
  sent = sent + 1
  return targets[(sent - 1) % #targets + 1] .. tail
end

function done(summary, latency)
  local errors = summary.errors
  local figures = '{"requests":%d,"seconds":%.6f,"refused":%d,"broken":%d}\n'
  io.write(figures:format(summary.requests, summary.duration / 1e6, errors.status,
    errors.connect + errors.read + errors.write + errors.timeout))
end
