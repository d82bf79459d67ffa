/* cc plain.c $(pkg-config --cflags --libs nozzle) -o plain */
#include <nozzle/nozzle.h>

#include <stdio.h>

int main(void)
{
  const float x[] = {-2, -0.5f, 0.5f, 2};
  float y[4];
  float dx[4];
  const nozzle_function clip = {NOZZLE_HARDTANH, 2, {-1.5, 1}};
  size_t i;

  if (nozzle_apply(&clip, NOZZLE_FLOAT, 4, x, y, NOZZLE_HOST, NULL) != NOZZLE_OK
      || nozzle_gradient(&clip, NOZZLE_FLOAT, 4, x, x, dx, NOZZLE_HOST, NULL) != NOZZLE_OK)
  {
    fprintf(stderr, "%s\n", nozzle_last_error());
    return 1;
  }
  for (i = 0; i < 4; ++i)
    printf("hardtanh(%g) = %g, gradient %g\n", x[i], y[i], dx[i]);
  return y[0] == -1.5f && y[1] == x[1] && y[3] == 1 && dx[0] == 0 && dx[2] == x[2] ? 0 : 1;
}
