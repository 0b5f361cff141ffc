-- Every request carries a key of the key file, drawn at random from the first so many.
-- wrk -s keys.lua URL -- KEY_FILE COUNT KEY_LENGTH SEED [BODY]

function init(args)
  local file = assert(io.open(args[1], 'rb'))
  local keys = file:read('*a')
  file:close()
  local count, length = tonumber(args[2]), tonumber(args[3])
  math.randomseed(tonumber(args[4]))
  local body = args[5]
  if body then wrk.headers['Content-Type'] = 'application/json' end
  wrk.headers['X-API-Key'] = '@'
  local head, tail = wrk.format(body and 'POST' or 'GET', nil, nil, body):match('^(.-)@(.*)$')
  request = function()
    local at = math.random(0, count - 1) * (length + 1)
    return head .. keys:sub(at + 1, at + length) .. tail
  end
end
