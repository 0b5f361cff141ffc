-- Every request asks for a path drawn at random from a file, with a key drawn at random from another; one a line.
-- wrk -s reads.lua URL -- PATH_FILE KEY_FILE SEED

local function lines(name)
  local all = {}
  for line in io.lines(name) do all[#all + 1] = line end
  return all
end

function init(args)
  local paths, keys = lines(args[1]), lines(args[2])
  math.randomseed(tonumber(args[3]))
  local heads = {}
  for index, key in ipairs(keys) do
    wrk.headers['Authorization'] = 'Bearer ' .. key
    heads[index] = wrk.format('GET', '/@'):match('^GET /@(.*)$')
  end
  request = function()
    return 'GET ' .. paths[math.random(#paths)] .. heads[math.random(#heads)]
  end
end
