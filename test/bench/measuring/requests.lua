-- Sends the requests of a file in turn (each after its length and a line break), and prints what came of it as JSON.
-- Twelve @ in a request become a number that no other request has.
local placeholder = ("@"):rep(12)
local requests, isUnique, sent, first = {}, {}, 0, 0

function init(args)
  local file = assert(io.open(args[1], "rb"))
  first = tonumber(args[2])
  for length in function() return file:read("*n") end do
    file:read(1)
    local text = file:read(length)
    requests[#requests + 1] = text
    isUnique[#requests] = text:find(placeholder, 1, true) ~= nil
  end
end

function request()
  local index = sent % #requests + 1
  sent = sent + 1
  if not isUnique[index] then return requests[index] end
  return (requests[index]:gsub(placeholder, ("%012d"):format(first + sent)))
end

function done(summary)
  local errors = summary.errors
  local failed = errors.connect + errors.read + errors.write + errors.status + errors.timeout
  io.write(('\n{"answers":%d,"seconds":%f,"failed":%d}\n'):format(summary.requests, summary.duration / 1e6, failed))
end
