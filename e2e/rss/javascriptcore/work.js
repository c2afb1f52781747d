const kept = [];
let round = 0;

function work() {
  round++;
  const records = [];
  for (let i = 0; i < 4000; i++) records.push({id: i, name: "name " + i * round, square: i * i});
  records.sort((a, b) => (a.name < b.name ? -1 : 1));
  const numbers = new Float64Array(20000);
  for (let pass = 1; pass < 20; pass++)
    for (let i = 0; i < numbers.length; i++) numbers[i] += (i * pass) % 7;
  kept[round % 20] = [records, numbers, new Map(records.map(r => [r.name, r]))];
}
