import json

import numpy as np

kept = {}


def work(thread):
    a = np.random.rand(300, 300)
    product = a @ a.T
    values = np.sort(np.random.rand(200000))
    table = [{"i": i, "name": "name %d" % i, "values": [i, i + 1, i / 3]} for i in range(3000)]
    kept[thread] = (product, values, json.loads(json.dumps(table)), np.cumsum(values.reshape(400, 500), axis=1))
    total = float(np.linalg.norm(product)) + sum(len(e["name"]) for e in table)
    return total
