-- The requests of wrk: targets from a file, one a line, each once or again and again at random.
-- A tab and a byte range may follow a target. load.ts starts wrk with this script and reads what `done` prints.
-- Arguments: file, first line, last line (both counted from 1), `once` or `again`, greatest pause in milliseconds.

local targets = {}
local order, tail
local threads = {}

function setup(thread)
  table.insert(threads, thread)
end

function init(args)
  local first, last, pause = tonumber(args[2]), tonumber(args[3]), tonumber(args[5])
  order = args[4]
  local number = 0
  for line in io.lines(args[1]) do
    number = number + 1
    if number > last then break end
    if number >= first then
      local target, range = line:match("^([^\t]+)\t?(.*)$")
      targets[#targets + 1] = target .. " HTTP/1.1" .. (range == "" and "" or "\r\nRange: " .. range)
    end
  end
  -- Every request ends with the same headers: they are formatted once.
  tail = wrk.format("GET", "/"):match("^GET / HTTP/1%.1(.*)$")
  math.randomseed(1)
  -- wrk looks for this function after `init`.
  if pause > 0 then delay = function() return math.random(0, pause) end end
end

used = 0

function request()
  if order == "again" then return "GET " .. targets[math.random(#targets)] .. tail end
  used = used + 1
  if used > #targets then
    if used == #targets + 1 then
      -- load.ts then interrupts wrk, which ends the measurement and prints it.
      io.write("exhausted\n")
      io.flush()
    end
    wrk.thread:stop()
    return "GET " .. targets[#targets] .. tail
  end
  return "GET " .. targets[used] .. tail
end

function done(summary, latency)
  local errors = summary.errors
  local figures = '{"requests":%d,"seconds":%.6f,"p99":%.6f,"refused":%d,"broken":%d}\n'
  io.write(figures:format(summary.requests, summary.duration / 1e6, latency:percentile(99) / 1e3, errors.status,
    errors.connect + errors.read + errors.write + errors.timeout))
end
