#define SM90 TC_GEMM_SM90_DEFINE
#define SM80 TC_GEMM_SM80_DEFINE
#define TUNE_0 SM90, .bm = 128, .bn = 256
#define TUNE_1 SM90, .bm = 128, .bn = 256, .cluster_m = 2
#define TUNE_2 SM90, .bm = 128, .bn = 256, .cluster_n = 2
#define TUNE_3 SM90, .bm = 256, .bn = 128
#define TUNE_4 SM90, .bm = 256, .bn = 128, .cluster_m = 2
#define TUNE_5 SM90, .bm = 256, .bn = 128, .cluster_n = 2
#define TUNE_6 SM90, .bm = 128, .bn = 128, .schedule = TC_PINGPONG
#define TUNE_7 SM90, .bm = 128, .bn = 128, .cluster_m = 2, .schedule = TC_PINGPONG
#define TUNE_8 SM90, .bm = 128, .bn = 128, .cluster_n = 2, .schedule = TC_PINGPONG
#define TUNE_9 SM90, .bm = 128, .bn = 192, .schedule = TC_PINGPONG
#define TUNE_10 SM90, .bm = 128, .bn = 192, .cluster_m = 2, .schedule = TC_PINGPONG
#define TUNE_11 SM90, .bm = 128, .bn = 192, .cluster_n = 2, .schedule = TC_PINGPONG
#define TUNE_12 SM90, .bm = 64, .bn = 256, .cluster_m = 2, .schedule = TC_PINGPONG
#define TUNE_13 SM90, .bm = 256, .bn = 192
#define TUNE_14 SM90, .bm = 256, .bn = 192, .cluster_m = 2
#define TUNE_15 SM90, .bm = 64, .bn = 128, .schedule = TC_PINGPONG
#define TUNE_16 SM90, .bm = 64, .bn = 192, .cluster_m = 2, .schedule = TC_PINGPONG
#define TUNE_17 SM90, .bm = 128, .bn = 160, .cluster_m = 2, .schedule = TC_PINGPONG
#define TUNE_18 SM80, .bm = 128, .bn = 256
#define TUNE_19 SM80, .bm = 256, .bn = 128, .warps_m = 4, .warps_n = 2
#define TUNE_20 SM80, .bm = 128, .bn = 128
#define TUNE_21 SM90, .bm = 128, .bn = 256, .cluster_m = 2, .raster_group = 8
#define TUNE_22 SM90, .bm = 128, .bn = 256, .cluster_m = 2, .raster_group = 16
#define TUNE_23 SM90, .bm = 128, .bn = 256, .cluster_m = 2, .raster_group = 4
#define TUNE_ALL(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15) X(16) X(17) X(18) X(19) X(20) X(21) X(22) X(23)
