local kept = {}
local round = 0

function work()
  round = round + 1
  local records = {}
  for i = 1, 20000 do
    records[i] = {id = i, name = "name " .. i * round, square = i * i}
  end
  table.sort(records, function(a, b) return a.name < b.name end)
  local sum = 0
  for pass = 1, 20 do
    for i = 1, #records do sum = sum + records[i].square % (pass + 7) end
  end
  kept[round % 3] = records
  return sum
end
